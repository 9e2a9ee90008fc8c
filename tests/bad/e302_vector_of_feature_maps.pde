pde P
space   x in pixels
time    t in [0,3]
unknown Y(x,t) : channels
let     N = tv_norm(eps=1)
∂Y/∂t = N(x Y)

pde Base "residual penalty without a velocity"
space   x in image(1, 8, 8)
time    t in [0, 1]
unknown f(x, t) : simplex(10)
learn   base(x) : simplex(10) = resnet(depth=8)
∂f/∂t = 0.01Δf
f(x, 0) = base(x)
realize diffusion by residual_penalty(weight=0.5)

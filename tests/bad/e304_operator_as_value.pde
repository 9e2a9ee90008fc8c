pde Net
space x in pixels
time t in [0, 3]
unknown Y(x, t) : channels
learn K(t) : operator = conv(3)
∂Y/∂t = K

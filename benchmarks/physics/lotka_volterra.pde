# DeepXDE.
pde LotkaVolterra "Lotka-Volterra equations"

time    t in [0, 1]
unknown r(t) : scalar
unknown p(t) : scalar

dr/dt = 20 (2r - 0.04 r p)
dp/dt = 20 (0.02 r p - 1.06 p)
r(0) = 100
p(0) = 15

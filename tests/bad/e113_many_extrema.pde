pde Heat
space x in [0, 1]
time t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = min(max(min(max(min((u - 1 x), (u - 2 x)), min((u - 3 x), (u - 4 x))), max(min((u - 5 x), (u - 6 x)), min((u - 7 x), (u - 8 x)))), min(max(min((u - 9 x), (u - 10 x)), min((u - 11 x), (u - 12 x))), max(min((u - 13 x), (u - 14 x)), min((u - 15 x), (u - 16 x))))), max(min(max(min((u - 17 x), (u - 18 x)), min((u - 19 x), (u - 20 x))), max(min((u - 21 x), (u - 22 x)), min((u - 23 x), (u - 24 x)))), min(max(min((u - 25 x), (u - 26 x)), min((u - 27 x), (u - 28 x))), max(min((u - 29 x), (u - 30 x)), min((u - 31 x), (u - 32 x))))))
u(x, 0) = sin(π x)
u = 0 on boundary

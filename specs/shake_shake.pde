# Two residual branches mixed by α and 1 - α with α uniform in [0, 1]: velocity ½(f + g), diffusion along f - g.
# The variance of α is 1/12, so the matrix is δt/24 (f - g)(f - g)ᵀ; nine residual blocks on [0, 9] give a step of one.
pde ShakeShake "Shake-shake regularization (Gastaldi 2017; Wang et al., Remark 2.5)"

space   x in image(1, 28, 28)
time    t in [0, 9]
unknown u(x, t) : simplex(10)
learn   f(x, t) : vector   = resnet(depth=20)
learn   g(x, t) : vector   = resnet(depth=20)
learn   W       : operator = linear

∂u/∂t = ½(f + g)·∇u + 1/24 Σᵢ Σⱼ (fᵢ - gᵢ) (fⱼ - gⱼ) ∂²u/∂xᵢ∂xⱼ
u(x, 0) = softmax(W x)

realize diffusion by shake_shake
require linearity, comparison, preserves_constants

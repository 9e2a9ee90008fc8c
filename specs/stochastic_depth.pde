# Stochastic depth is a diffusion along the velocity: the diffusion matrix v vᵀ has rank one.
# Nine residual blocks on [0, 9] give a step of one, so p is the survival probability.
pde StochasticDepth "ResNet with stochastic depth (Huang et al. 2016; Wang et al., Remark 2.5)"

space   x in image(1, 28, 28)
time    t in [0, 9]
unknown u(x, t) : simplex(10)
learn   v(x, t) : vector   = resnet(depth=20)
learn   W       : operator = linear
const   p = 0.8

∂u/∂t = v·∇u + (1 - p)/(2p) Σᵢ Σⱼ vᵢ vⱼ ∂²u/∂xᵢ∂xⱼ
u(x, 0) = softmax(W x)

realize diffusion by stochastic_depth
require linearity, comparison, preserves_constants

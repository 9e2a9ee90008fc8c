pde Crowd
space x in [0, 1] periodic
time t in [0, 1]
unknown u0(x, t) : scalar
unknown u1(x, t) : scalar
unknown u2(x, t) : scalar
unknown u3(x, t) : scalar
unknown u4(x, t) : scalar
unknown u5(x, t) : scalar
unknown u6(x, t) : scalar
unknown u7(x, t) : scalar
unknown u8(x, t) : scalar
unknown u9(x, t) : scalar
unknown u10(x, t) : scalar
unknown u11(x, t) : scalar
unknown u12(x, t) : scalar
unknown u13(x, t) : scalar
unknown u14(x, t) : scalar
unknown u15(x, t) : scalar
unknown u16(x, t) : scalar
unknown u17(x, t) : scalar
unknown u18(x, t) : scalar
unknown u19(x, t) : scalar
unknown u20(x, t) : scalar
unknown u21(x, t) : scalar
unknown u22(x, t) : scalar
unknown u23(x, t) : scalar
unknown u24(x, t) : scalar
unknown u25(x, t) : scalar
unknown u26(x, t) : scalar
unknown u27(x, t) : scalar
unknown u28(x, t) : scalar
unknown u29(x, t) : scalar
unknown u30(x, t) : scalar
unknown u31(x, t) : scalar
unknown u32(x, t) : scalar
unknown u33(x, t) : scalar
unknown u34(x, t) : scalar
unknown u35(x, t) : scalar
unknown u36(x, t) : scalar
unknown u37(x, t) : scalar
unknown u38(x, t) : scalar
unknown u39(x, t) : scalar
unknown u40(x, t) : scalar
unknown u41(x, t) : scalar
unknown u42(x, t) : scalar
unknown u43(x, t) : scalar
unknown u44(x, t) : scalar
unknown u45(x, t) : scalar
unknown u46(x, t) : scalar
unknown u47(x, t) : scalar
unknown u48(x, t) : scalar
unknown u49(x, t) : scalar
unknown u50(x, t) : scalar
unknown u51(x, t) : scalar
unknown u52(x, t) : scalar
unknown u53(x, t) : scalar
unknown u54(x, t) : scalar
unknown u55(x, t) : scalar
unknown u56(x, t) : scalar
unknown u57(x, t) : scalar
unknown u58(x, t) : scalar
unknown u59(x, t) : scalar
unknown u60(x, t) : scalar
unknown u61(x, t) : scalar
unknown u62(x, t) : scalar
unknown u63(x, t) : scalar
unknown u64(x, t) : scalar
∂u0/∂t = Δu0
u0(x, 0) = 0
∂u1/∂t = Δu1
u1(x, 0) = 0
∂u2/∂t = Δu2
u2(x, 0) = 0
∂u3/∂t = Δu3
u3(x, 0) = 0
∂u4/∂t = Δu4
u4(x, 0) = 0
∂u5/∂t = Δu5
u5(x, 0) = 0
∂u6/∂t = Δu6
u6(x, 0) = 0
∂u7/∂t = Δu7
u7(x, 0) = 0
∂u8/∂t = Δu8
u8(x, 0) = 0
∂u9/∂t = Δu9
u9(x, 0) = 0
∂u10/∂t = Δu10
u10(x, 0) = 0
∂u11/∂t = Δu11
u11(x, 0) = 0
∂u12/∂t = Δu12
u12(x, 0) = 0
∂u13/∂t = Δu13
u13(x, 0) = 0
∂u14/∂t = Δu14
u14(x, 0) = 0
∂u15/∂t = Δu15
u15(x, 0) = 0
∂u16/∂t = Δu16
u16(x, 0) = 0
∂u17/∂t = Δu17
u17(x, 0) = 0
∂u18/∂t = Δu18
u18(x, 0) = 0
∂u19/∂t = Δu19
u19(x, 0) = 0
∂u20/∂t = Δu20
u20(x, 0) = 0
∂u21/∂t = Δu21
u21(x, 0) = 0
∂u22/∂t = Δu22
u22(x, 0) = 0
∂u23/∂t = Δu23
u23(x, 0) = 0
∂u24/∂t = Δu24
u24(x, 0) = 0
∂u25/∂t = Δu25
u25(x, 0) = 0
∂u26/∂t = Δu26
u26(x, 0) = 0
∂u27/∂t = Δu27
u27(x, 0) = 0
∂u28/∂t = Δu28
u28(x, 0) = 0
∂u29/∂t = Δu29
u29(x, 0) = 0
∂u30/∂t = Δu30
u30(x, 0) = 0
∂u31/∂t = Δu31
u31(x, 0) = 0
∂u32/∂t = Δu32
u32(x, 0) = 0
∂u33/∂t = Δu33
u33(x, 0) = 0
∂u34/∂t = Δu34
u34(x, 0) = 0
∂u35/∂t = Δu35
u35(x, 0) = 0
∂u36/∂t = Δu36
u36(x, 0) = 0
∂u37/∂t = Δu37
u37(x, 0) = 0
∂u38/∂t = Δu38
u38(x, 0) = 0
∂u39/∂t = Δu39
u39(x, 0) = 0
∂u40/∂t = Δu40
u40(x, 0) = 0
∂u41/∂t = Δu41
u41(x, 0) = 0
∂u42/∂t = Δu42
u42(x, 0) = 0
∂u43/∂t = Δu43
u43(x, 0) = 0
∂u44/∂t = Δu44
u44(x, 0) = 0
∂u45/∂t = Δu45
u45(x, 0) = 0
∂u46/∂t = Δu46
u46(x, 0) = 0
∂u47/∂t = Δu47
u47(x, 0) = 0
∂u48/∂t = Δu48
u48(x, 0) = 0
∂u49/∂t = Δu49
u49(x, 0) = 0
∂u50/∂t = Δu50
u50(x, 0) = 0
∂u51/∂t = Δu51
u51(x, 0) = 0
∂u52/∂t = Δu52
u52(x, 0) = 0
∂u53/∂t = Δu53
u53(x, 0) = 0
∂u54/∂t = Δu54
u54(x, 0) = 0
∂u55/∂t = Δu55
u55(x, 0) = 0
∂u56/∂t = Δu56
u56(x, 0) = 0
∂u57/∂t = Δu57
u57(x, 0) = 0
∂u58/∂t = Δu58
u58(x, 0) = 0
∂u59/∂t = Δu59
u59(x, 0) = 0
∂u60/∂t = Δu60
u60(x, 0) = 0
∂u61/∂t = Δu61
u61(x, 0) = 0
∂u62/∂t = Δu62
u62(x, 0) = 0
∂u63/∂t = Δu63
u63(x, 0) = 0
∂u64/∂t = Δu64
u64(x, 0) = 0

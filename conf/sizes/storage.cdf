# SPDX-License-Identifier: BSD-3-Clause
# Storage: block storage over RDMA at Alibaba, 2019, as in the simulations of Li, Miao, Liu, Zhuang,
# Feng, Tang, Cao, Zhang, Kelly, Alizadeh, Yu: HPCC: High Precision Congestion Control, SIGCOMM 2019.
# Bytes, cumulative percent; linear between points.
0 0
4000 22.93
8000 69.21
16000 80.61
32000 90.47
64000 93.53
128000 96.77
256000 97.53
2000000 100

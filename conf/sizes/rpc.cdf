# SPDX-License-Identifier: BSD-3-Clause
# Storage RPCs: Miao, Zhu, Ma, Qian, Zhuang, Li, Cheng, Gao, et al.: From Luna to Solar: The Evolutions
# of the Compute-to-Storage Networks in Alibaba Cloud, SIGCOMM 2022.
# Bytes, cumulative percent; linear between points.
0 0
4095 0.001
4096 30.0
16383 35.0
16384 50.0
65535 60.0
65536 95.0
262144 100.0

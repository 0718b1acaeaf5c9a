// SPDX-License-Identifier: BSD-3-Clause
// The layout of LLDPDUs. A TLV has 7 bits of type and 9 of length before its value.
#pragma once

#include "lldp.h"

#define LLDP_ETHERNET_BYTES 14u
#define LLDP_ETHERTYPE_LLDP 0x88cc
#define LLDP_HEADER_BYTES 2u
#define LLDP_LENGTH_MAX 511u

enum lldp_type {
	LLDP_TYPE_END = 0,
	LLDP_TYPE_CHASSIS = 1,
	LLDP_TYPE_PORT = 2,
	LLDP_TYPE_TTL = 3,
	LLDP_TYPE_PORT_DESCRIPTION = 4,
	LLDP_TYPE_SYSTEM_NAME = 5,
	LLDP_TYPE_SYSTEM_DESCRIPTION = 6,
	LLDP_TYPE_CAPABILITIES = 7,
	LLDP_TYPE_MANAGEMENT = 8,
	LLDP_TYPE_ORGANISATION = 127,
};

// Address families (IANA).
#define LLDP_FAMILY_IP4 1
#define LLDP_FAMILY_IP6 2

// 00-80-C2, IEEE 802.1, and its subtypes of DCBX.
#define LLDP_OUI_8021 0x0080c2u
#define LLDP_ORGANISATION_BYTES 4u // OUI and subtype

enum lldp_dcbx {
	LLDP_DCBX_ETS = 9,
	LLDP_DCBX_ETS_RECOMMENDED = 10,
	LLDP_DCBX_PFC = 11,
	LLDP_DCBX_APPLICATIONS = 12,
};

// Behind OUI and subtype.
#define LLDP_ETS_BYTES 21u // flags, priorities in 4 bits each, bandwidths, algorithms
#define LLDP_PFC_BYTES 2u
#define LLDP_APPLICATION_BYTES 3u // of each, behind one reserved byte

// Behind a management address: the numbering of an interface, its number, and the length of an OID.
#define LLDP_NUMBERING_BYTES 6u
#define LLDP_NUMBERING_UNKNOWN 1

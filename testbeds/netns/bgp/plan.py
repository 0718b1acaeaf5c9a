# SPDX-License-Identifier: BSD-3-Clause
"""What the testbed consists of: switches, hosts, links and their addresses, and the files that roost and FRR
are given."""

# (number, AS); spines share theirs, so that no route goes up twice.
SWITCHES = {"leaf1": (1, 65101), "leaf2": (2, 65102), "spine1": (1, 65200), "spine2": (2, 65200)}
HOSTS = {"h1": ("leaf1", 1), "h2": ("leaf1", 2), "h3": ("leaf2", 1), "h4": ("leaf2", 2)}    # behind swpN
LINKS = [(leaf, 2 + SWITCHES[spine][0], spine, SWITCHES[leaf][0])
         for leaf in SWITCHES if "leaf" in leaf for spine in SWITCHES if "spine" in spine]


def loopback(switch):
    return f"172.{16 + ('spine' in switch)}.0.{SWITCHES[switch][0]}"


def gateway(host):
    """Of a host: the address of the leaf's port, of both versions."""
    leaf, port = HOSTS[host]
    return f"10.{SWITCHES[leaf][0]}.{port}.1", f"fd00:{SWITCHES[leaf][0]}:{port}::1"


def address(host):
    return tuple(one[:-1] + "2" for one in gateway(host))


def ports(switch):
    """Numbers of a switch's ports, and those of them that lead to other switches."""
    up = [port for one, port, _, _ in LINKS if one == switch] + [port for _, _, one, port in LINKS if one == switch]
    return sorted([port for leaf, port in HOSTS.values() if leaf == switch] + up), sorted(up)


def switch_file(name, switch, cpu, bfd_socket=None):
    """The configuration of a switch: ports that it shares with the kernel, where the routes come from, and where bfdd listens
    if roost runs its sessions."""
    bfd = f"\n  bfd: {{socket: {bfd_socket}}}" if bfd_socket else ""
    spans = "\n".join(f"    swp{port}: {{rate: 10G, netdev: swp{port}}}" for port in ports(switch)[0])
    return f"""switch:
  name: {name}-{switch}
  role: {switch[:-1]}
  preset: spectrum-x
  buffer: {{size: 4MB}}
  qos: {{tc: {{3: {{ecn: {{min: 50KB, max: 500KB}}}}}}}}
  ports:
{spans}
  learn: [{{vrf: default}}]{bfd}
live: {{idle: sleep, cpus: [{cpu}]}}
"""


def zebra_conf(switch):
    """zebra 8.4 keeps a group of next hops for 3 minutes after its last use, does not see that the kernel takes
    a failed link's next hop out of it, and uses it as it is when the link is back: hence keep 1 (s)."""
    return f"hostname {switch}\nzebra nexthop-group keep 1\n" + \
        "".join(f"interface swp{port}\n ipv6 nd ra-interval 1\nexit\n" for port in ports(switch)[1])


def bfdd_conf(switch):
    """A link is dead after 1.5 s without a packet, unlike BGP's 3 s."""
    return f"""hostname {switch}
bfd
 profile fabric
  detect-multiplier 5
  receive-interval 300
  transmit-interval 300
 exit
exit
"""


def bgpd_conf(switch):
    peers = [f"swp{port}" for port in ports(switch)[1]]
    activate = "".join(f"  neighbor {peer} activate\n" for peer in peers)
    families = "".join(f" address-family {family} unicast\n{activate}  redistribute connected\n"
                       "  maximum-paths 64\n exit-address-family\n" for family in ("ipv4", "ipv6"))
    neighbours = "".join(f" neighbor {peer} interface remote-as external\n neighbor {peer} bfd profile fabric\n"
                         for peer in peers)
    return f"""hostname {switch}
router bgp {SWITCHES[switch][1]}
 bgp router-id {loopback(switch)}
 no bgp ebgp-requires-policy
 bgp default ipv4-unicast
 bgp bestpath as-path multipath-relax
 timers bgp 1 3
{neighbours}{families}exit
"""

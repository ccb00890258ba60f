// What a machine is asked for support: file of the bundle → the command whose output it has.

const families = ["-4", "-6"];

export const machineQuestions: Readonly<Record<string, readonly string[]>> = {
  "machine/kernel.txt": ["uname", "-a"],
  "machine/release.txt": ["cat", "/etc/os-release"],
  "machine/packages.txt": ["dpkg-query", "--show"],
  "machine/memory.txt": ["cat", "/proc/meminfo"],
  "machine/load.txt": ["cat", "/proc/loadavg"],
  "machine/disks.txt": ["df", "--human-readable"],
  "machine/mounts.txt": ["cat", "/proc/self/mountinfo"],
  "machine/processes.txt": ["ps", "-eo", "pid,ppid,user,rss,etime,stat,comm"],
  "machine/units.txt": ["systemctl", "--no-pager", "--full", "status", "tandem-*"],
  "network/links.txt": ["ip", "-details", "-statistics", "link", "show"],
  "network/addresses.txt": ["ip", "address", "show"],
  "network/neighbours.txt": ["ip", "neighbour", "show"],
  "network/listeners.txt": ["ss", "-ltunp"],
  ...Object.fromEntries(
    families.flatMap((family) => [
      [`network/routes${family}.txt`, ["ip", family, "route", "show", "table", "all"]],
      [`network/rules${family}.txt`, ["ip", family, "rule", "show"]],
    ]),
  ),
  "network/nftables.txt": ["nft", "--numeric", "list", "ruleset"],
  "network/iptables.txt": ["iptables-save"],
  "network/ip6tables.txt": ["ip6tables-save"],
  "network/settings.txt": ["sysctl", "net.ipv4", "net.ipv6", "net.netfilter"],
  "network/namespaces.txt": ["lsns", "--type", "net"],
};

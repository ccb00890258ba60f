// The chains that the CNI plugin `portmap` makes for host ports and never removes.

/**
 * Returns a script for iptables-restore(8) that removes these chains from what iptables-save(8) printed of the
 * table `nat`; `undefined` if there are none, or if one of them still leads to a pod, be it another runtime's.
 */
export function emptyChainsScript(saved: string): string | undefined {
  const lines = saved.split("\n");
  const chains = lines.flatMap((line) => /^:(CNI-HOSTPORT-\S+)/.exec(line)?.[1] ?? []);
  const isUsed = lines.some((line) => line.startsWith(":CNI-DN-"));
  if (chains.length === 0 || isUsed) return undefined;
  const jumps = lines.filter((line) => /^-A (?!CNI-).* -j CNI-HOSTPORT-/.test(line));
  const script = [
    "*nat",
    ...jumps.map((line) => line.replace("-A", "-D")),
    ...chains.map((chain) => `-F ${chain}`),
    ...chains.map((chain) => `-X ${chain}`),
    "COMMIT",
  ];
  return `${script.join("\n")}\n`;
}

/** Whether a table as nft(8) lists it has chains that the kernel calls, and no rule in them. */
export function isEmptyTable(listed: string): boolean {
  const lines = listed.split("\n").map((line) => line.trim());
  return lines.every((line) => /^(table .*\{|chain .*\{|type .* hook .*|\}|#.*|)$/.test(line));
}

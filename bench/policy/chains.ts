// The layout that most write, made here to compare with: a chain and a set for each policy, and a chain for
// each pod that jumps to those of its policies.

import { addressOf, podsEach } from "./objects.ts";

const table = "ip one-chain-per-policy";

export function chainsScript(policies: number): string {
  const lines = [`add table ${table}`, `add map ${table} pods { type ipv4_addr : verdict ; }`];
  for (let policy = 0; policy < policies; policy++) {
    lines.push(
      `add set ${table} peers-${policy} { type ipv4_addr ; }`,
      `add element ${table} peers-${policy} { ${clientsOf(policy).join(", ")} }`,
      `add chain ${table} policy-${policy}`,
      ruleOf(policy, 80),
      `add chain ${table} pod-${policy}`,
      `add rule ${table} pod-${policy} jump policy-${policy}`,
      `add rule ${table} pod-${policy} drop`,
      `add element ${table} pods { ${addressOf(policy, 0)} : goto pod-${policy} }`,
    );
  }
  lines.push(
    `add chain ${table} forward { type filter hook forward priority filter ; }`,
    `add rule ${table} forward ct state established,related accept`,
    `add rule ${table} forward ip daddr vmap @pods`,
  );
  return `${lines.join("\n")}\n`;
}

export function changePolicy(policy: number, port: number): string {
  return `flush chain ${table} policy-${policy}\n${ruleOf(policy, port)}\n`;
}

export function changePod(policy: number, isThere: boolean): string {
  const verb = isThere ? "add" : "delete";
  return `${verb} element ${table} peers-${policy} { ${addressOf(policy, 1)} }\n`;
}

function ruleOf(policy: number, port: number): string {
  return `add rule ${table} policy-${policy} ip saddr @peers-${policy} tcp dport ${port} accept`;
}

function clientsOf(policy: number): readonly string[] {
  return Array.from({ length: podsEach }, (_, pod) => pod)
    .filter((pod) => pod % 2 === 1)
    .map((pod) => addressOf(policy, pod));
}

// What is on a machine, for comparing before and after; and commands of a machine's administrator.

import { setTimeout as sleep } from "node:timers/promises";
import type { Machine } from "../fixtures/machines.ts";

/** The administrator's environment, on machines with a server. */
export const admin = "export KUBECONFIG=/var/lib/tandem/admin.kubeconfig";

export function ready(node: string): string {
  return `${admin}; kubectl wait --for=condition=Ready --timeout=1s node/${node}`;
}

/** Manifests of a pod on each of these nodes, and of a service in front of them at port 30080 of every node. */
export function echoes(nodes: readonly string[]): string {
  const pods = nodes.map((node) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `echo-${node}`, labels: { app: "echo" } },
    spec: {
      nodeName: node,
      containers: [
        {
          name: "echo",
          image: "tandem.internal/echo",
          readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
        },
      ],
    },
  }));
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "echo" },
    spec: {
      type: "NodePort",
      ipFamilyPolicy: "RequireDualStack",
      selector: { app: "echo" },
      ports: [{ port: 80, targetPort: 8080, nodePort: 30_080 }],
    },
  };
  return JSON.stringify({ apiVersion: "v1", kind: "List", items: [...pods, service] });
}

/** Runs a script on a machine; returns what it prints. */
export async function shell(machine: Machine, script: string): Promise<string> {
  const { stdout } = await machine.run(["sh", "-ec", script], { timeoutMs: 180_000 });
  return stdout;
}

/**
 * Everything of a machine that a role may leave something in: files, links, routes, rules, mounts, cgroups,
 * settings, units and processes. Logs and the cache of the program itself are left out.
 */
export function traces(machine: Machine): Promise<string> {
  return shell(
    machine,
    `find /etc /opt /var /usr/lib/cni /usr/lib/systemd -xdev \\
        -not -path '/var/log/*' -not -path '/var/lib/systemd/*' -not -path '/var/tmp/*' -not -path /var/lib/dpkg/lock | sort
     find /run -xdev -not -path '/run/systemd/*' -not -path '/run/log/*' -not -path '/run/user/*' | sort
     ip -oneline link show | sed -e 's/ *\\(qlen\\|mtu\\).*//' -e 's/^[0-9]*: //'
     ip -brief address show
     ip -4 route show table all
     ip -6 route show table all | sed 's/ metric.*//' | sort
     ip -4 rule show; ip -6 rule show
     nft list ruleset
     iptables-save | grep -v '^#' || true
     awk '{ print $5 }' /proc/self/mountinfo | sort
     find /sys/fs/cgroup -type d -name 'tandem*' | sort
     for each in net.ipv4.ip_forward net.ipv6.conf.all.forwarding net.ipv6.conf.default.accept_dad \\
         net.ipv4.conf.eth0.rp_filter net.ipv6.conf.eth0.accept_ra; do sysctl $each; done
     systemctl list-unit-files --no-legend 'tandem-*'
     ps -eo comm= | grep -E 'conmon|runc|tandem|haproxy|keepalived' || true`,
  );
}

/** The lines that two texts do not share: those of the first after a minus, those of the second after a plus. */
export function differences(one: string, other: string): readonly string[] {
  const [before, after] = [new Set(one.split("\n")), new Set(other.split("\n"))];
  return [
    ...[...before.difference(after)].map((line) => `- ${line}`),
    ...[...after.difference(before)].map((line) => `+ ${line}`),
  ];
}

/** Polls until the script succeeds on the machine. */
export async function untilSo(machine: Machine, script: string): Promise<void> {
  const deadline = Date.now() + patience;
  for (;;) {
    const { stdout } = await machine.run([
      "sh",
      "-c",
      `${script} > /tmp/why 2>&1 && echo so || true`,
    ]);
    if (stdout.trim() === "so") return;
    if (Date.now() > deadline) {
      throw new Error(
        `Cannot wait any longer for: ${script}\n${await shell(machine, "cat /tmp/why")}`,
      );
    }
    await sleep(200);
  }
}

const patience = 90_000;

/** The command line that `tandem install server` prints for other machines of a role. */
export function joinLineOf(printed: string, role: "agent" | "server" = "agent"): string {
  const line = new RegExp(`^ {2}(tandem install ${role} --join .*)$`, "m").exec(printed)?.[1];
  if (line === undefined) throw new Error(`Cannot find a command to join by in:\n${printed}`);
  return line;
}

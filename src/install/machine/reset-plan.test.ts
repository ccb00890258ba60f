import assert from "node:assert/strict";
import { test } from "node:test";
import { describeRemoval, planReset } from "./reset-plan.ts";

const nothing = {
  units: [],
  member: undefined,
  processes: 0,
  network: [],
  tables: [],
  mounts: [],
  cgroups: [],
  settings: {},
  paths: [],
};

test("[INST-5] units stop first, mounts go from the innermost, and files last", () => {
  const removals = planReset({
    units: ["tandem-etcd.service", "tandem-agent.service"],
    member: "https://192.0.2.10:2380",
    processes: 3,
    network: ["link cbr0"],
    tables: ["inet tandem_vip"],
    mounts: ["/run/tandem-agent/a", "/run/tandem-agent/a/b"],
    cgroups: ["/sys/fs/cgroup/tandem"],
    settings: { "net/ipv4/ip_forward": "0" },
    paths: ["/var/lib/tandem-agent"],
  });
  assert.deepEqual(removals.map(describeRemoval), [
    "stop and disable tandem-agent.service",
    "leave the etcd of the other servers as https://192.0.2.10:2380",
    "stop and disable tandem-etcd.service",
    "end 3 processes of the agent and its pods",
    "remove from the kernel: link cbr0",
    "remove table inet tandem_vip",
    "remove mount /run/tandem-agent/a/b",
    "remove mount /run/tandem-agent/a",
    "remove cgroup /sys/fs/cgroup/tandem",
    "set net/ipv4/ip_forward to 0 again",
    "remove /var/lib/tandem-agent",
  ]);
});

test("[INST-5] a machine without a role has nothing to remove", () => {
  assert.deepEqual(planReset(nothing), []);
});

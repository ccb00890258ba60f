// What pods ask for to get at their node, through the API and past it.
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Container, Pod, PodSpec } from "../../src/api/types/core.ts";
import { openPodNode, type PodNode, scripted } from "../e2e/pods.fixture.ts";

describe("a pod without rights", { timeout: 240_000 }, () => {
  let node: PodNode;
  let manifests: string;
  before(async () => {
    node = await openPodNode({
      agentWords: (scratch) => {
        manifests = join(scratch, "manifests");
        return [
          `--static-pods=${manifests}`,
          "--allowed-unsafe-sysctls=kernel.msg*",
          "--allow-host-image=default",
          "--seccomp-default",
        ];
      },
    });
  });
  after(() => node[Symbol.asyncDispose]());

  interface Setting {
    readonly spec?: Partial<PodSpec>;
    readonly container?: Partial<Container>;
    readonly script?: string;
  }

  async function printed(name: string, { spec, container, script }: Setting): Promise<string> {
    const main = scripted("main", `${script}; echo done; exec sleep 1000`, container);
    await node.run(name, { spec: { ...spec, containers: [main] } });
    return node.said(name, "done\n");
  }

  const withSysctl = (name: string, value: string): Partial<PodSpec> => ({
    securityContext: { sysctls: [{ name, value }] },
  });

  async function rejected(name: string, spec: Partial<PodSpec>): Promise<string> {
    await node.create(name, { spec });
    const { status } = await node.until(name, (pod) => pod?.status?.phase === "Failed");
    return `${status?.reason}: ${status?.message}`;
  }

  test("[SEC-1] makes no folder on the node by a link in its volume, and mounts none", async () => {
    const outside = join(node.cluster.lan.scratch, "outside");
    await mkdir(outside);
    const volumeMounts = [{ name: "data", mountPath: "/data" }];
    const linking = `ln -s ${outside} /data/link`;
    await node.create("linked", {
      spec: {
        volumes: [{ name: "data", emptyDir: {} }],
        initContainers: [scripted("first", linking, { volumeMounts })],
        containers: [
          scripted("main", "ls /x", {
            volumeMounts: [{ name: "data", mountPath: "/x", subPath: "link/some/folder" }],
          }),
        ],
      },
    });
    const waiting = (pod: Pod | undefined) => pod?.status?.containerStatuses?.[0]?.state?.waiting;
    const pod = await node.until(
      "linked",
      (each) => waiting(each)?.reason === "CreateContainerConfigError",
    );
    const field = 'spec.containers[0].volumeMounts[0].subPath "link/some/folder"';
    assert.equal(waiting(pod)?.message, `Cannot use ${field}: a link leads out of the volume`);
    assert.deepEqual(await readdir(outside), []);
  });

  test("[SEC-1] has settings of the kernel that are safe, and those that the node allows", async () => {
    const script = "cat /proc/sys/kernel/msgmax";
    const spec = withSysctl("kernel.msgmax", "4321");
    assert.match(await printed("allowed", { spec, script }), /^4321$/m);
    assert.equal(
      await rejected("unsafe", withSysctl("net.core.somaxconn", "1234")),
      'SysctlForbidden: Pod was rejected: forbidden sysctl: "net.core.somaxconn" not allowlisted',
    );
  });

  test("[SEC-1] has no say in settings of the machine, through the API", async () => {
    const refused = "SysctlForbidden: Pod was rejected: forbidden sysctl:";
    assert.equal(
      await rejected("core-pattern", withSysctl("kernel.core_pattern", "1")),
      `${refused} "kernel.core_pattern" not allowlisted`,
    );
    assert.equal(
      await rejected("swappiness", withSysctl("vm.swappiness", "1")),
      `${refused} "vm.swappiness" not allowlisted`,
    );
    await assert.rejects(
      node.create("machine", { spec: withSysctl("kernel/../vm/swappiness", "1") }),
      { message: /spec\.securityContext\.sysctls\[0\]\.name: Invalid value/ },
    );
  });

  test("[SEC-1] has no say in settings of the machine, past the API", async () => {
    const setting = "/proc/sys/vm/stat_interval";
    const found = await readFile(setting, "utf8");
    const metadata = { name: "past", namespace: "default" };
    const sysctls = [{ name: "vm.stat_interval", value: `${Number(found) + 1}` }];
    const spec = { securityContext: { sysctls }, containers: [scripted("main", "sleep 1000")] };
    const pod = { apiVersion: "v1", kind: "Pod", metadata, spec };
    await mkdir(manifests, { recursive: true });
    await writeFile(join(manifests, "past.json"), JSON.stringify(pod));
    try {
      await node.eventually("a refusal", () =>
        Promise.resolve(
          /default\/past-.*forbidden sysctl: \\"vm\.stat_interval\\"/.test(
            node.node.agent.output(),
          ),
        ),
      );
      assert.equal(await readFile(setting, "utf8"), found);
    } finally {
      await writeFile(setting, found);
    }
  });

  test("[SEC-5] is not run without what should protect it", async () => {
    const selinux = { securityContext: { seLinuxOptions: { level: "s0:c1" } } };
    assert.match(await rejected("selinux", selinux), /seLinuxOptions: SELinux is not supported$/);
    const appArmor = { securityContext: { appArmorProfile: { type: "RuntimeDefault" as const } } };
    assert.match(await rejected("app-armor", appArmor), /^AppArmor: .*Cannot enforce AppArmor/);
  });

  test("[SEC-1] is held back from calls of the kernel where the node says so, unless it says otherwise", async () => {
    const script = "grep Seccomp: /proc/self/status";
    const seccompProfile = { type: "Unconfined" as const };
    const free = { container: { securityContext: { seccompProfile } }, script };
    assert.match(await printed("held", { script }), /^Seccomp:\s+2$/m);
    assert.match(await printed("free", free), /^Seccomp:\s+0$/m);
  });

  test("[SEC-6] sees no file of people, of clusters, and no key in the image of the machine's programs", async () => {
    const secret = join(node.cluster.lan.scratch, "server/pki");
    const script = `
      for path in /etc/shadow /etc/gshadow /etc/ssl/private /etc/ssh ${secret} ${node.node.dataDir}; do
        test -e $path && echo sees $path
      done
      ls -A /root /home /srv /opt /mnt /var/lib/misc | grep -v ":$"
      awk -F: '$3 >= 1000 && $3 < 60000 { print "knows", $1 }' /etc/passwd
      touch /usr/bin/x 2> /dev/null && echo changes programs
      find / -xdev -path /proc -prune -o -perm /6000 -type f -print 2> /dev/null
      command -v ip`;
    const log = await printed("nosy", { script });
    assert.deepEqual(log.split("\n").filter(Boolean), ["/usr/sbin/ip", "done"]);
  });

  test("[SEC-6] has the image of the machine's programs only where the operator says so", async () => {
    await node.client.resource("v1", "Namespace").create({ metadata: { name: "other" }, spec: {} });
    const refusal = async (name: string, image: string): Promise<string> => {
      await node.create(name, {
        metadata: { namespace: "other" },
        spec: { containers: [{ name: "main", image, command: ["true"] }] },
      });
      let message = "";
      await node.eventually(`${name} to be refused`, async () => {
        const { status } = await node.pods.get({ namespace: "other", name });
        message = status?.containerStatuses?.[0]?.state?.waiting?.message ?? "";
        return message.includes("Cannot use image");
      });
      return message;
    };
    for (const [name, image] of [
      ["host", "tandem.internal/host"],
      ["tandem", "tandem.internal/tandem:latest"],
    ] as const) {
      assert.equal(
        await refusal(name, image),
        `Cannot use image "${image}": pod other/${name} is not among those that --allow-host-image names`,
      );
    }
  });

  test("[SEC-1] is removed however deep it has nested folders", async () => {
    const script = `cd /data; i=0; while [ $i -lt 300 ]; do
      mkdir ${"d".repeat(20)} && cd -P ${"d".repeat(20)} || break; i=$((i + 1)); done`;
    const volumeMounts = [{ name: "data", mountPath: "/data" }];
    await printed("deep", {
      spec: { volumes: [{ name: "data", emptyDir: {} }] },
      container: { volumeMounts },
      script,
    });
    await node.pods.delete({ namespace: "default", name: "deep" });
    await node.until("deep", (pod) => pod === undefined);
  });

  test("[SEC-1] has users of its own where it wants, and volumes as ever", async () => {
    const volumes = [
      { name: "data", emptyDir: {} },
      { name: "memory", emptyDir: { medium: "Memory" } },
      {
        name: "facts",
        downwardAPI: { items: [{ path: "name", fieldRef: { fieldPath: "metadata.name" } }] },
      },
    ];
    const volumeMounts = volumes.map(({ name }) => ({ name, mountPath: `/${name}` }));
    const script = `
      cat /proc/self/uid_map; id -u; cat /facts/name; echo
      touch /data/x /memory/x /root/x && chown 1000:1000 /data/x && stat -c '%n %u:%g' /data/x /usr /etc/hosts
      echo words > /dev/termination-log && hostname
      ip link set lo mtu 1400 && echo rules its network
      mount -t tmpfs none /mnt 2> /dev/null || echo mounts nothing`;
    const run = async (name: string) => {
      const options = {
        spec: { hostUsers: false, volumes },
        container: {
          volumeMounts,
          securityContext: { capabilities: { add: ["NET_ADMIN"] } },
          // What is executed in it later has the same users.
          readinessProbe: { exec: { command: ["sh", "-c", '[ "$(id -u)" = 0 ]'] } },
        },
        script,
      };
      const log = await printed(name, options);
      const [map = "", ...said] = log.split("\n").filter(Boolean);
      assert.deepEqual(said, [
        "0",
        name,
        "/data/x 1000:1000",
        "/usr 0:0",
        "/etc/hosts 0:0",
        name,
        "rules its network",
        "mounts nothing",
        "done",
      ]);
      return map.trim().split(/\s+/).map(Number);
    };
    const [one, two] = [await run("users-1"), await run("users-2")];
    assert.ok(
      (one[1] ?? 0) >= 2 ** 30 && (two[1] ?? 0) >= 2 ** 30 && one[1] !== two[1],
      JSON.stringify([one, two]),
    );
    assert.deepEqual([one[0], one[2]], [0, 65_536]);
    const { metadata } = await node.pods.get({ namespace: "default", name: "users-1" });
    const file = join(node.node.dataDir, "pods/pods", metadata.uid ?? "", "volumes/data/x");
    assert.equal((await stat(file)).uid, 1000, "on the disk it belongs to whom the pod says");
  });

  test("[SEC-5] is not run with users of its own and a volume that cannot show them", async () => {
    await node.create("unshown", {
      spec: {
        hostUsers: false,
        volumes: [{ name: "kernel", hostPath: { path: "/proc" } }],
        containers: [
          scripted("main", "true", { volumeMounts: [{ name: "kernel", mountPath: "/kernel" }] }),
        ],
      },
    });
    const waiting = (pod: Pod | undefined) => pod?.status?.containerStatuses?.[0]?.state?.waiting;
    const pod = await node.until("unshown", (each) => waiting(each)?.message !== undefined);
    assert.match(
      waiting(pod)?.message ?? "",
      /^Cannot use spec\.containers\[0\]\.volumeMounts\[0\]: its file system cannot be shown with other users/,
    );
  });
});

// What pods ask for to get at their node, through the API and past it.
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
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
        return [`--static-pods=${manifests}`, "--allowed-unsafe-sysctls=kernel.msg*"];
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
    for (const name of ["kernel.core_pattern", "vm.swappiness", "kernel/../vm/swappiness"]) {
      await assert.rejects(node.create("machine", { spec: withSysctl(name, "1") }), {
        message: /spec\.securityContext\.sysctls\[0\]\.name: Invalid value/,
      });
    }
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
        Promise.resolve(/SysctlForbidden.*vm\.stat_interval/.test(node.node.agent.output())),
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
});

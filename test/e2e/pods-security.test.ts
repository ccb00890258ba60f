// What pods may be told to share and to do, as their containers find it.
import assert from "node:assert/strict";
import { mkdir, readlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Container, Pod, PodSpec, SeccompProfile } from "../../src/api/types/core.ts";
import { openPodNode, type PodNode, scripted } from "./pods.fixture.ts";

describe("a pod", { timeout: 240_000 }, () => {
  let node: PodNode;
  before(async () => {
    node = await openPodNode();
  });
  after(() => node[Symbol.asyncDispose]());

  interface Setting {
    readonly spec?: Partial<PodSpec>;
    readonly container?: Partial<Container>;
    readonly script?: string;
  }

  /** What it prints before it sleeps. */
  async function printed(
    name: string,
    { spec, container, script = "true" }: Setting,
  ): Promise<string> {
    const main = scripted("main", `${script}; echo done; exec sleep 1000`, container);
    await node.run(name, { spec: { ...spec, containers: [main] } });
    return node.said(name, "done\n");
  }

  /** Why its container is not made. */
  async function refusal(name: string, { spec, container, script }: Setting): Promise<string> {
    await node.create(name, {
      spec: { ...spec, containers: [scripted("main", script ?? "true", container)] },
    });
    const waiting = (pod: Pod | undefined) => pod?.status?.containerStatuses?.[0]?.state?.waiting;
    const pod = await node.until(name, (each) => waiting(each)?.reason?.endsWith("Error") === true);
    return `${waiting(pod)?.reason}: ${waiting(pod)?.message}`;
  }

  test("has namespaces of its own, or the node's", async () => {
    const script = "hostname; for name in pid ipc uts net; do readlink /proc/self/ns/$name; done";
    const own = (await printed("own", { script })).split("\n");
    const spec = { hostNetwork: true, hostPID: true, hostIPC: true };
    const nodes = (await printed("nodes", { spec, script })).split("\n");
    const { spec: placed } = await node.until("nodes", () => true);
    assert.deepEqual([own[0], nodes[0]], ["own", placed.nodeName]);
    for (const [index, name] of ["pid", "ipc"].entries()) {
      const machine = await readlink(`/proc/self/ns/${name}`);
      assert.notEqual(own[index + 1], machine);
      assert.equal(nodes[index + 1], machine);
    }
    // The node's name need not be the machine's, and nobody changes that from inside.
    const machine = await readlink("/proc/self/ns/uts");
    for (const each of [own, nodes]) assert.notEqual(each[3], machine);
    assert.notEqual(own[4], nodes[4]);
  });

  test("[API-16] whose containers share processes has one that holds the namespace and shows nothing", async () => {
    const spec = { shareProcessNamespace: true };
    const script = "echo I am $$; ls /proc/1/root || echo closed";
    const log = await printed("together", { spec, script });
    assert.doesNotMatch(log, /^I am 1$/m);
    assert.match(log, /^closed$/m);
  });

  test("has its fully qualified name where it wants", async () => {
    const spec = { hostname: "h", subdomain: "s", setHostnameAsFQDN: true };
    assert.match(
      await printed("qualified", { spec, script: "hostname" }),
      /^h\.s\.default\.svc\.cluster\.local$/m,
    );
  });

  test("has settings of the kernel of its own", async () => {
    const name = "net.ipv4.ip_unprivileged_port_start";
    const spec = { securityContext: { sysctls: [{ name, value: "80" }] } };
    const script = "cat /proc/sys/net/ipv4/ip_unprivileged_port_start";
    assert.match(await printed("settings", { spec, script }), /^80$/m);
  });

  test("may do what it is allowed", async () => {
    const securityContext = {
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"], add: ["NET_BIND_SERVICE"] },
    };
    const script = "touch /x; grep -E 'CapBnd|NoNewPrivs' /proc/self/status";
    const log = await printed("confined", { container: { securityContext }, script });
    assert.match(log, /Read-only file system/);
    assert.match(log, /^CapBnd:\s+0{13}400$/m);
    assert.match(log, /^NoNewPrivs:\s+1$/m);
  });

  test("is held back from calls of the kernel by the runtime's profile, by the node's, or not at all", async () => {
    const script = "unshare --user true || echo held; grep Seccomp: /proc/self/status";
    const by = (name: string, pods: SeccompProfile, own?: SeccompProfile) =>
      printed(name, {
        spec: { securityContext: { seccompProfile: pods } },
        ...(own === undefined ? {} : { container: { securityContext: { seccompProfile: own } } }),
        script,
      });
    const directory = join(node.node.dataDir, "seccomp/team");
    await mkdir(directory, { recursive: true });
    const syscalls = [{ names: ["unshare"], action: "SCMP_ACT_ERRNO" }];
    const profile = { defaultAction: "SCMP_ACT_ALLOW", syscalls };
    await writeFile(join(directory, "own.json"), JSON.stringify(profile));
    const [free, usual, named, overruled] = await Promise.all([
      printed("free", { script }),
      by("usual", { type: "RuntimeDefault" }),
      by("named", { type: "Localhost", localhostProfile: "team/own.json" }),
      by("overruled", { type: "RuntimeDefault" }, { type: "Unconfined" }),
    ]);
    for (const log of [usual, named]) assert.match(log, /^held$.*^Seccomp:\s+2$/ms);
    for (const log of [free, overruled]) assert.match(log, /^Seccomp:\s+0$/m);
    assert.doesNotMatch(`${free}${overruled}`, /held/);
  });

  test("is not made when it asks for what cannot be", async () => {
    const found = await Promise.all([
      refusal("root", { spec: { securityContext: { runAsNonRoot: true } } }),
      refusal("commandless", { container: { command: ["/no/such/program"] } }),
      refusal("unheld", {
        spec: { securityContext: { seccompProfile: { type: "Localhost", localhostProfile: "x" } } },
      }),
    ]);
    assert.deepEqual(found, [
      'CreateContainerConfigError: Cannot run spec.containers[0] with runAsNonRoot: image "tandem.internal/host" runs as root',
      'RunContainerError: Cannot start container main: exec: "/no/such/program": stat /no/such/program: no such file or directory',
      `CreateContainerConfigError: Cannot run spec.containers[0] with seccompProfile "x": there is no file ${node.node.dataDir}/seccomp/x on the node`,
    ]);
  });
});

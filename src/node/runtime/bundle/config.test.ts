import assert from "node:assert/strict";
import { test } from "node:test";
import { identityOf } from "../machine/identity.ts";
import { placesIn } from "../places.ts";
import type { ContainerSpec, ImageRoot } from "../port.ts";
import { type BundlePlan, ociConfig } from "./config.ts";
import { stageOf } from "./staged-mounts.ts";

const range = "0 0 4294967295";
const machine = identityOf({ users: range, groups: range, setgroups: "allow", status: "" });
const rootless = identityOf({ users: "0 7 1", groups: "0 7 1", setgroups: "deny", status: "" });

const image: ImageRoot = {
  directory: "/image",
  mounts: [{ source: "/program", destination: "/usr/bin/program", readOnly: true }],
  hidden: ["/secret"],
  config: {
    entrypoint: ["/entry"],
    command: ["of", "image"],
    environment: { PATH: "/own", WORD: "image" },
    user: "",
    workingDirectory: "/work",
  },
};

function planOf(given: Partial<ContainerSpec> = {}): BundlePlan {
  const labels = { podUid: "u", podNamespace: "n", podName: "p", container: "c" };
  const spec: ContainerSpec = {
    id: "one",
    labels: { ...labels, kind: "container", attempt: 0 },
    image: "image",
    environment: {},
    namespaces: {},
    mounts: [],
    logPath: "/log",
    ...given,
  };
  const user = { uid: 0, gid: 0, additionalGids: [] };
  return {
    spec,
    image,
    identity: machine,
    user,
    ...stageOf(spec, image, placesIn("/node").container("one")),
    keptFlags: new Map(),
    devices: [],
  };
}

function configOf(given: Partial<ContainerSpec>, more: Partial<BundlePlan> = {}) {
  return ociConfig({ ...planOf(given), ...more });
}

test("a command takes the place of the entrypoint and of its arguments", () => {
  const args = (given: Partial<ContainerSpec>) => configOf(given).process.args;
  assert.deepEqual(args({}), ["/entry", "of", "image"]);
  assert.deepEqual(args({ args: ["mine"] }), ["/entry", "mine"]);
  assert.deepEqual(args({ command: ["/mine"] }), ["/mine"]);
  assert.deepEqual(args({ command: ["/mine"], args: ["too"] }), ["/mine", "too"]);
  const { config } = image;
  const bare = { ...image, config: { ...config, entrypoint: [], command: [] } };
  assert.throws(
    () => ociConfig({ ...planOf(), image: bare }),
    /Cannot start container c: neither the pod nor the image image has a command/,
  );
});

test("the pod's environment and directory count more than the image's", () => {
  const { env, cwd } = configOf({ environment: { WORD: "pod" } }).process;
  assert.deepEqual([env, cwd], [["PATH=/own", "WORD=pod"], "/work"]);
  assert.equal(configOf({ workingDirectory: "/else" }).process.cwd, "/else");
  assert.deepEqual(configOf({ terminal: true }).process.env.includes("TERM=xterm"), true);
});

test("namespaces are joined by path, are new, or are the node's", () => {
  const { namespaces } = configOf({ namespaces: { network: "/n", uts: "/u" } }).linux;
  assert.deepEqual(namespaces, [
    { type: "mount" },
    { type: "pid" },
    { type: "ipc" },
    { type: "uts", path: "/u" },
    { type: "network", path: "/n" },
  ]);
  assert.ok(!configOf({}).linux.namespaces.some(({ type }) => type === "network"));
});

test("outer mounts come first, and one of the pod's replaces one of ours", () => {
  const { mounts } = configOf({
    mounts: [
      { source: "/b", destination: "/data/in/side" },
      { source: "/a", destination: "/data", readOnly: true },
      { source: "/s", destination: "/dev/shm" },
    ],
  });
  const places = mounts.map(({ destination }) => destination);
  assert.deepEqual(places.slice(-4), ["/usr/bin/program", "/data", "/dev/shm", "/data/in/side"]);
  assert.equal(
    mounts.find(({ destination }) => destination === "/dev/shm")?.source,
    "/node/containers/one/mounts/3",
  );
  assert.ok(
    mounts.find(({ source }) => source === "/node/containers/one/mounts/2")?.options.includes("ro"),
  );
});

test("a user namespace has no group for terminals, and may not show a network that is not its own", () => {
  const find = (destination: string, identity: typeof machine) =>
    configOf({}, { identity }).mounts.find((mount) => mount.destination === destination);
  assert.ok(find("/dev/pts", machine)?.options.includes("gid=5"));
  assert.ok(!find("/dev/pts", rootless)?.options.includes("gid=5"));
  assert.deepEqual([find("/sys", machine)?.type, find("/sys", rootless)?.type], ["sysfs", "bind"]);
});

test("limits of CPU and memory are written for a container with a cgroup, and left out without one", () => {
  const resources = { cpuMillis: 250, memoryBytes: 1024 };
  assert.deepEqual(configOf({ resources }).linux.resources.memory, undefined);
  const { linux, mounts } = configOf({ resources }, { cgroup: "/tandem/node" });
  assert.equal(linux.cgroupsPath, "/tandem/node/one");
  assert.deepEqual(linux.resources.memory, { limit: 1024 });
  assert.deepEqual(linux.resources.cpu, { shares: 256, quota: 25_000, period: 100_000 });
  assert.ok(mounts.some(({ type }) => type === "cgroup"));
});

test("a privileged container sees everything but what the image hides", () => {
  const { linux } = configOf({ security: { privileged: true } });
  assert.deepEqual([linux.maskedPaths, linux.readonlyPaths], [["/secret"], []]);
  assert.ok(configOf({}).linux.maskedPaths.includes("/proc/kcore"));
});

test("[SEC-1] users of its own are those of a namespace, and its root is where the runtime may go", () => {
  const users = { first: 2 ** 30, count: 65_536 };
  const { linux, root } = configOf({ users, namespaces: { user: "/u" } });
  assert.deepEqual(linux.namespaces[0], { type: "user", path: "/u" });
  assert.deepEqual(linux.uidMappings, [{ containerID: 0, hostID: 2 ** 30, size: 65_536 }]);
  assert.deepEqual(linux.gidMappings, linux.uidMappings);
  assert.deepEqual(
    [root.path, configOf({}).root.path],
    ["/mnt/rootfs", "/node/containers/one/rootfs"],
  );
});

test("a number of processes is the most, where there is a cgroup", () => {
  const { linux } = configOf({ resources: { pids: 7 } }, { cgroup: "/tandem/node" });
  assert.deepEqual(linux.resources.pids, { limit: 7 });
});

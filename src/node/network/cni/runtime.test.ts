import assert from "node:assert/strict";
import { test } from "node:test";
import { Address } from "../../../base/net/address.ts";
import { addressesOf } from "./attached.ts";
import { podArguments } from "./attachment.ts";
import {
  type CniError,
  isAlreadyAttached,
  isMissingPlugin,
  isTryLater,
  isUnknownContainer,
} from "./error.ts";
import { FakePluginError } from "./testing/fake-plugins.ts";
import { older, openFakeRuntime, pod, podNetwork } from "./testing/runtime.ts";

const portMappings = [{ hostPort: 80, containerPort: 8080, protocol: "tcp" as const }];

test("[CNI-1] ADD runs the chain at the common version, each plugin told what it asked for", async () => {
  const { plugins, runtime } = openFakeRuntime();
  const args = podArguments({ namespace: "default", name: "web", uid: "u1", container: "c1" });
  const capabilities = { portMappings, mac: "02:00:00:00:00:01" };
  const cniArguments = { colour: "blue" };
  const attached = await runtime.add(podNetwork(), { ...pod, args, capabilities, cniArguments });

  assert.deepEqual(
    addressesOf(attached).map(({ address }) => address.toString()),
    ["10.0.0.2", "fd00::2"],
  );
  const [bridge, portmap] = plugins.of("ADD");
  assert.deepEqual(bridge?.stdin, {
    type: "bridge",
    ipam: { type: "tandem-ipam" },
    args: { cni: { colour: "blue" } },
    cniVersion: "1.0.0",
    name: "pods",
  });
  assert.deepEqual(portmap?.stdin["runtimeConfig"], { portMappings });
  const prevResult = portmap?.stdin["prevResult"] as { cniVersion: string };
  assert.equal(prevResult.cniVersion, "1.0.0");
  assert.equal(
    bridge?.environment["CNI_ARGS"],
    "IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=web;K8S_POD_INFRA_CONTAINER_ID=c1;K8S_POD_UID=u1",
  );
  assert.equal(bridge?.environment["CNI_PATH"], "/opt/cni:/usr/lib/cni");
});

test("[CNI-1] a plugin that is there only for its capabilities runs for who uses them, and for nobody else", async () => {
  const { plugins, runtime } = openFakeRuntime();
  const capabilities = { portMappings: true };
  const network = podNetwork({
    plugins: [
      { type: "bridge" },
      { type: "portmap", capabilities, "tandem.internal/only-for-capabilities": true },
    ],
  });
  const { result } = await runtime.add(network, pod);
  assert.equal(result.ips.length, 2);
  await runtime.check(pod);
  await runtime.delete(pod);
  await runtime.add(network, { ...pod, capabilities: { portMappings } });
  await runtime.delete(pod);
  const isAsked = (call: string) => !call.startsWith("VERSION");
  assert.deepEqual(plugins.trace.filter(isAsked), [
    "ADD bridge c1/eth0",
    "CHECK bridge c1/eth0",
    "DEL bridge c1/eth0",
    "ADD bridge c1/eth0",
    "ADD portmap c1/eth0",
    "DEL portmap c1/eth0",
    "DEL bridge c1/eth0",
  ]);
  const [told] = plugins.of("ADD").filter(({ plugin }) => plugin === "portmap");
  assert.equal(told?.stdin["tandem.internal/only-for-capabilities"], undefined);
});

test("[CNI-1] each program is asked for its versions once, until it is replaced", async () => {
  const { plugins, runtime } = openFakeRuntime();
  await Promise.all(
    ["a", "b"].map((container) => runtime.add(podNetwork(), { ...pod, container })),
  );
  assert.equal(plugins.of("VERSION").length, 3);
  plugins.changed++;
  await runtime.deleteAll("a");
  assert.equal(plugins.of("VERSION").length, 6);
});

test("[CNI-1] after a restart DEL and CHECK use the configuration of the time of ADD", async () => {
  const { plugins, files, runtime, restart } = openFakeRuntime();
  const { result } = await runtime.add(podNetwork({ own: 1 }), pod);
  assert.deepEqual([...files.files.keys()], ["/cache/c1,eth0,pods.json"]);
  assert.equal(files.files.get("/cache/c1,eth0,pods.json")?.mode, 0o600);
  plugins.pluginCalls.length = 0;

  const again = restart();
  assert.deepEqual((await again.attached("c1"))[0]?.result, result);
  assert.equal(await again.check(pod), true);
  await again.delete(pod);
  await again.delete(pod);
  const calls = plugins.trace.filter((line) => !line.startsWith("VERSION"));
  assert.deepEqual(calls, [
    "CHECK bridge c1/eth0",
    "CHECK portmap c1/eth0",
    "DEL portmap c1/eth0",
    "DEL bridge c1/eth0",
  ]);
  assert.ok(plugins.of("DEL").every(({ stdin }) => stdin["prevResult"] !== undefined));
  assert.equal(files.files.size, 0);
  await assert.rejects(again.check(pod), isUnknownContainer);
});

test("[CNI-1] before 0.4.0 there is no CHECK, and no result for DEL", async () => {
  const { plugins, runtime } = openFakeRuntime();
  await runtime.add(podNetwork({}, "0.3.1"), pod);
  const prevResult = plugins.of("ADD")[1]?.stdin["prevResult"] as { ips: { version: string }[] };
  assert.deepEqual(
    prevResult.ips.map(({ version }) => version),
    ["4", "6"],
  );
  assert.equal(await runtime.check(pod), false);
  await runtime.delete(pod);
  assert.ok(plugins.of("DEL").every(({ stdin }) => stdin["prevResult"] === undefined));
});

test("[CNI-1] a network may forbid CHECK", async () => {
  const { plugins, runtime } = openFakeRuntime();
  await runtime.add(podNetwork({ disableCheck: true }), pod);
  assert.equal(await runtime.check(pod), false);
  assert.equal(plugins.of("CHECK").length, 0);
});

test("[CNI-1] a failed ADD is undone, and its error keeps what the plugin said", async () => {
  const { plugins, files, runtime } = openFakeRuntime();
  plugins.install("portmap", older, ({ verb }) => {
    if (verb === "ADD")
      throw new FakePluginError({ code: 11, msg: "busy", details: "in a minute" });
    return undefined;
  });
  await assert.rejects(runtime.add(podNetwork(), pod), (error: CniError) => {
    assert.equal(error.message, "Cannot ADD with plugin portmap: busy: in a minute");
    assert.deepEqual(
      [error.code, error.details, error.plugin, error.stderr],
      [11, "in a minute", "portmap", "portmap logs"],
    );
    return isTryLater(error);
  });
  assert.deepEqual(plugins.trace.slice(-2), ["DEL portmap c1/eth0", "DEL bridge c1/eth0"]);
  assert.equal(files.files.size, 0);
});

test("[CNI-1] an ADD that cannot be undone fails with the reason of ADD", async () => {
  const { plugins, files, runtime } = openFakeRuntime();
  plugins.install("portmap", older, ({ verb }) => {
    throw new FakePluginError({ code: 7, msg: `no ${verb} with this` });
  });
  await assert.rejects(runtime.add(podNetwork(), pod), {
    name: "CniError",
    message: "Cannot ADD with plugin portmap: no ADD with this",
  });
  assert.equal(files.files.size, 1, "for the DEL to come");
  const left = await runtime.deleteAll(pod.container);
  assert.deepEqual(left.map(String), [
    "CniError: Cannot DEL with plugin portmap: no DEL with this",
  ]);
  assert.equal(files.files.size, 0, "it is given up");
  assert.deepEqual(await runtime.deleteAll(pod.container), []);
});

test("[CNI-1] what may be undone later stays on record, what cannot be read does not", async () => {
  const { plugins, files, runtime } = openFakeRuntime();
  await runtime.add(podNetwork(), pod);
  plugins.install("bridge", older, () => {
    throw new FakePluginError({ code: 11, msg: "the API is away" });
  });
  assert.equal((await runtime.deleteAll("c1")).length, 1);
  assert.deepEqual(await runtime.containers(), ["c1"]);
  plugins.install("bridge", older);
  assert.deepEqual(await runtime.deleteAll("c1"), []);
  assert.deepEqual(await runtime.containers(), []);

  await files.write("/cache/c1,eth0,pods.json", "{ cut short");
  await files.write("/cache/c2,eth0,pods.json", JSON.stringify({ attachment: {} }));
  for (const container of ["c1", "c2"]) {
    const [error] = await runtime.deleteAll(container);
    assert.match(String(error), new RegExp(`/cache/${container},eth0,pods.json`));
  }
  assert.equal(files.files.size, 0);
});

test("[CNI-1] DEL tries every plugin, keeps the record until all succeed, and tells all errors", async () => {
  const { plugins, files, runtime } = openFakeRuntime();
  await runtime.add(podNetwork(), pod);
  for (const type of ["bridge", "portmap"]) {
    plugins.install(type, older, () => {
      throw new FakePluginError({ code: 5, msg: `${type} is stuck` });
    });
  }
  await assert.rejects(runtime.delete(pod), (error: AggregateError) => {
    assert.match(
      error.message,
      /^Cannot delete eth0 of c1: .*portmap is stuck; .*bridge is stuck$/,
    );
    return error.errors.length === 2;
  });
  assert.equal(files.files.size, 1);
  plugins.uninstall("portmap");
  plugins.install("bridge", older);
  await assert.rejects(runtime.delete(pod), (error: Error) => {
    assert.equal(
      error.message,
      "Cannot use plugin portmap: there is no such program in /opt/cni:/usr/lib/cni",
    );
    return isMissingPlugin(error);
  });
  assert.equal(plugins.trace.at(-1), "DEL bridge c1/eth0");
  plugins.install("portmap", older);
  await runtime.delete(pod);
  assert.equal(files.files.size, 0);
});

test("[CNI-1] what a crash in the middle of ADD left is deleted before the next", async () => {
  const { plugins, runtime, restart } = openFakeRuntime();
  const { promise: never } = Promise.withResolvers<undefined>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  plugins.install("macvlan", older, () => {
    begin();
    return never;
  });
  void runtime.add(podNetwork({ plugins: [{ type: "macvlan" }] }), pod);
  await begun;

  const again = restart();
  assert.deepEqual(await again.attached(), []);
  plugins.install("macvlan", older);
  await again.add(podNetwork(), pod);
  assert.deepEqual(
    plugins.trace.filter((line) => /^(ADD|DEL)/.test(line)),
    ["ADD macvlan c1/eth0", "DEL macvlan c1/eth0", "ADD bridge c1/eth0", "ADD portmap c1/eth0"],
  );
  await assert.rejects(again.add(podNetwork(), pod), isAlreadyAttached);
});

test("[CNI-5] addresses are asked for again, and done without when they are taken", async () => {
  const { plugins, runtime } = openFakeRuntime();
  const preferredAddresses = ["10.0.0.9", "fd00::9"].map(Address.parse);
  const addresses = async (container: string) =>
    addressesOf(await runtime.add(podNetwork(), { ...pod, container, preferredAddresses })).map(
      ({ address }) => address.toString(),
    );
  assert.deepEqual(await addresses("c1"), ["10.0.0.9", "fd00::9"]);
  plugins.install("bridge", older, ({ verb, stdin }) => {
    if (verb === "ADD" && stdin["runtimeConfig"] !== undefined) {
      throw new FakePluginError({ code: 999, msg: "10.0.0.9 is taken" });
    }
    return { ips: [{ address: "10.0.0.3/24" }] };
  });
  assert.deepEqual(await addresses("c2"), ["10.0.0.3"]);
});

test("[CNI-1] what nothing is remembered of can be deleted by its network", async () => {
  const { plugins, runtime } = openFakeRuntime();
  await runtime.delete(pod, { lost: { network: podNetwork(), namespace: "" } });
  const calls = plugins.of("DEL");
  assert.deepEqual(
    calls.map(({ plugin, environment }) => [plugin, environment["CNI_NETNS"]]),
    [
      ["portmap", ""],
      ["bridge", ""],
    ],
  );
});

test("[CNI-1] a record that somebody else wrote is named, not trusted", async () => {
  const { files, runtime } = openFakeRuntime();
  const path = "/cache/c1,eth0,pods.json";
  const refusals: readonly (readonly [string, RegExp])[] = [
    ["{", /^CniError: Cannot read \/cache\/c1,eth0,pods\.json: /],
    ["{}", /Cannot use attachment of \/cache\/c1,eth0,pods\.json: it is missing/],
    ['{"attachment":{"container":5}}', /Cannot use attachment\.container 5 of /],
  ];
  for (const [text, message] of refusals) {
    await files.write(path, text);
    await assert.rejects(runtime.delete(pod), message);
  }
});

test("[CNI-1] bad names never reach a plugin or a file", async () => {
  const { plugins, runtime } = openFakeRuntime();
  for (const bad of [{ container: "../c" }, { interface: "a/b" }, { interface: "x".repeat(16) }]) {
    await assert.rejects(runtime.add(podNetwork(), { ...pod, ...bad }), /^CniError: Cannot use /);
  }
  const args = { A: "1;B=2" };
  await assert.rejects(runtime.add(podNetwork(), { ...pod, args }), /CNI_ARGS "A=1;B=2"/);
  assert.equal(plugins.of("ADD").length, 0);
});

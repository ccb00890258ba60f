import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeCommands } from "../../../../base/host/command.fake.ts";
import { FakeFiles } from "../../../../base/host/files.fake.ts";
import { systemIp } from "../../../../base/host/ip.system.ts";
import { addressesOf } from "../attached.ts";
import { openNetworkDirectory } from "../directory.ts";
import { isInvalidConfiguration } from "../error.ts";
import { addressesByInterface } from "../testing/addresses-by-interface.ts";
import { FakePluginError } from "../testing/fake-plugins.ts";
import { older, openFakeRuntime, podNetwork } from "../testing/runtime.ts";
import { attachNetworks } from "./attach.ts";
import { type NetworkDefinition, networkOf } from "./definition.ts";
import { planNetworks } from "./plan.ts";
import { parseNetworkSelections } from "./selection.ts";
import { networkStatus } from "./status.ts";

const config = JSON.stringify({
  cniVersion: "1.0.0",
  type: "macvlan",
  capabilities: { ips: true },
});
const metadata = { namespace: "default", name: "blue" };
const claim = "service.kubernetes.io/service-controller-name";
const files = new FakeFiles();
const directory = openNetworkDirectory(files, "/net.d");
const where = { container: "c1", namespace: "/run/netns/c1" };

async function planOf(
  annotation: string,
  definition: NetworkDefinition = { metadata, spec: { config } },
) {
  const selections = parseNetworkSelections(annotation, "default");
  const network = await networkOf(definition, directory);
  return planNetworks(
    { network: podNetwork() },
    selections.map((selection) => ({ selection, network })),
  );
}

test("[CNI-4] further networks become net1, net2 and so on, and are written down", async () => {
  const { runtime } = openFakeRuntime();
  const commands = new FakeCommands();
  const annotation = JSON.stringify([
    { name: "blue", ips: ["10.7.0.7"], "default-route": ["10.7.0.1", "fd07::1"] },
    { name: "blue", namespace: "default", interface: "blue0" },
    { name: "blue" },
  ]);
  const attached = await attachNetworks(await planOf(annotation), {
    runtime,
    ip: systemIp(commands),
    ...where,
  });
  assert.deepEqual(JSON.parse(networkStatus(attached)["k8s.v1.cni.cncf.io/network-status"] ?? ""), [
    { name: "pods", interface: "eth0", ips: ["10.0.0.2", "fd00::2"], default: true, dns: {} },
    { name: "default/blue", interface: "net1", ips: ["10.7.0.7"], dns: {} },
    { name: "default/blue", interface: "blue0", ips: ["10.0.0.2", "fd00::2"], dns: {} },
    { name: "default/blue", interface: "net3", ips: ["10.0.0.2", "fd00::2"], dns: {} },
  ]);
  assert.equal(
    commands.text,
    "ip -batch -\n  route replace default via 10.7.0.1 dev net1\n  route replace default via fd07::1 dev net1",
  );
});

test("[CNI-4] all networks or none", async () => {
  const { plugins, files: cache, runtime } = openFakeRuntime();
  plugins.install("macvlan", older, ({ verb }) => {
    if (verb === "ADD") throw new FakePluginError({ code: 5, msg: "no master" });
    return undefined;
  });
  const options = { runtime, ip: systemIp(new FakeCommands()), ...where };
  await assert.rejects(attachNetworks(await planOf("blue"), options), /no master/);
  assert.equal(cache.files.size, 0);
  assert.equal(plugins.trace.at(-1), "DEL bridge c1/eth0");
});

test("[CNI-1] a network that can neither be attached nor undone is told by why it was not attached", async () => {
  const { plugins, files: cache, runtime } = openFakeRuntime();
  plugins.install("macvlan", older, ({ verb }) => {
    throw new FakePluginError({ code: 7, msg: `no ${verb} without a master` });
  });
  const left: unknown[] = [];
  const onLeft = (errors: readonly unknown[]) => left.push(...errors);
  const options = { runtime, ip: systemIp(new FakeCommands()), ...where, onLeft };
  await assert.rejects(attachNetworks(await planOf("blue"), options), {
    message: "Cannot ADD with plugin macvlan: no ADD without a master",
  });
  assert.match(left.join(), /no DEL without a master/);
  assert.equal(cache.files.size, 0);
});

test("[CNI-5] attaching goes on where it stopped, and asks for the same addresses", async () => {
  const { plugins, runtime, restart } = openFakeRuntime();
  const ip = systemIp(new FakeCommands());
  const [first = assert.fail(), ...rest] = await planOf("blue");
  await attachNetworks([first], { runtime, ip, ...where });
  const again = restart();
  const attached = await attachNetworks([first, ...rest], { runtime: again, ip, ...where });
  assert.deepEqual(
    attached.map((one) => one.interface),
    ["eth0", "net1"],
  );
  assert.deepEqual(
    plugins.of("ADD").map(({ plugin }) => plugin),
    ["bridge", "portmap", "macvlan"],
  );

  await again.deleteAll("c1");
  const previous = addressesByInterface(attached);
  await attachNetworks([first, ...rest], { runtime: again, ip, ...where, previous });
  const told = plugins
    .of("ADD")
    .slice(3)
    .map(({ stdin }) => stdin["runtimeConfig"]);
  const ips = ["10.0.0.2", "fd00::2"];
  assert.deepEqual(told, [{ ips }, undefined, { ips }]);
});

test("[PROP-5] a selection, a definition or a configuration claims the addresses", async () => {
  const claimant = async (annotation: string, definition?: NetworkDefinition) => {
    const { runtime } = openFakeRuntime();
    const options = { runtime, ip: systemIp(new FakeCommands()), ...where };
    const attached = await attachNetworks(await planOf(annotation, definition), options);
    return attached.map((one) => addressesOf(one)[0]?.serviceController);
  };
  const annotated = {
    metadata: { ...metadata, annotations: { [claim]: "red" } },
    spec: { config },
  };
  const configured = { ...JSON.parse(config), [claim]: "green" } as object;
  assert.deepEqual(await claimant("blue"), [undefined, undefined]);
  assert.deepEqual(await claimant("blue", annotated), [undefined, "red"]);
  const inConfig = { metadata, spec: { config: JSON.stringify(configured) } };
  assert.deepEqual(await claimant("blue", inConfig), [undefined, "green"]);
  const selected = (name: string) => JSON.stringify([{ name: "blue", [claim]: name }]);
  assert.deepEqual(await claimant(selected("yellow"), annotated), [undefined, "yellow"]);
  assert.deepEqual(await claimant(selected(""), annotated), [undefined, undefined]);
});

test("[CNI-4] a definition without a configuration stands for the node's of that name", async () => {
  await assert.rejects(networkOf({ metadata }, directory), isInvalidConfiguration);
  await files.write("/net.d/20-blue.conf", JSON.stringify({ ...JSON.parse(config), name: "blue" }));
  assert.equal((await networkOf({ metadata }, directory)).plugins[0]?.type, "macvlan");
  const broken = { metadata, spec: { config: "{" } };
  await assert.rejects(
    networkOf(broken, directory),
    /Cannot use NetworkAttachmentDefinition default\/blue: spec\.config is no JSON/,
  );
});

test("[CNI-4] an interface is for one network", async () => {
  await assert.rejects(planOf("blue@eth0"), /two networks as interface eth0/);
});

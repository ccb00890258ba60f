import { FakeFiles } from "../../../../base/host/files.fake.ts";
import { type NetworkConfiguration, parseNetwork } from "../configuration.ts";
import type { Json } from "../json.ts";
import { CniRuntime } from "../runtime.ts";
import { FakePlugins } from "./fake-plugins.ts";

export const older = ["0.3.0", "0.3.1", "0.4.0", "1.0.0"];
export const newer = [...older, "1.1.0"];

/** Opens a runtime on fake plugins: two for interfaces, one that is chained, one for IPAM. */
export function openFakeRuntime() {
  const plugins = new FakePlugins()
    .install("bridge", older, ({ environment, stdin }) => bridged(environment, stdin))
    .install("macvlan", older, ({ environment, stdin }) => bridged(environment, stdin))
    .install("portmap", older, ({ stdin }) => stdin["prevResult"] as Json)
    .install("tandem-ipam", newer);
  const files = new FakeFiles();
  const restart = () =>
    new CniRuntime({ commands: plugins, files, path: plugins.path, directory: "/cache" });
  return { plugins, files, runtime: restart(), restart };
}

export function podNetwork(more: Json = {}, cniVersion = "1.1.0"): NetworkConfiguration {
  const json = {
    cniVersion,
    name: "pods",
    plugins: [
      { type: "bridge", capabilities: { ips: true }, ipam: { type: "tandem-ipam" } },
      { type: "portmap", capabilities: { portMappings: true } },
    ],
    ...more,
  };
  return parseNetwork(json, { where: "pods.conflist" });
}

export const pod = { container: "c1", interface: "eth0", namespace: "/run/netns/c1" };

function bridged(environment: Readonly<Record<string, string | undefined>>, stdin: Json): Json {
  const wished = (stdin["runtimeConfig"] as { ips?: string[] } | undefined)?.ips;
  const addresses = wished ?? ["10.0.0.2", "fd00::2"];
  return {
    cniVersion: stdin["cniVersion"],
    interfaces: [{ name: environment["CNI_IFNAME"], sandbox: environment["CNI_NETNS"] }],
    ips: addresses.map((address) => ({ address: `${address}/24`, interface: 0 })),
  };
}

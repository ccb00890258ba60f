// A network namespace for rules, and one with a client and a server on either side of it.

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { type Commands, inNamespace } from "../../src/base/host/command.ts";

export const addresses = { client: "10.16.0.1", server: "10.16.0.0" } as const;

const commands = systemCommands();

export interface Field {
  readonly router: Commands;
  /** The path of the namespace between the client and the server. */
  readonly routerNamespace: string;
  readonly client: Commands;
  readonly server: Commands;
}

export async function openField(scope: AsyncDisposableStack): Promise<Field> {
  const word = randomUUID().slice(0, 6);
  const names = ["r", "c", "s"].map((letter) => `bp-${word}-${letter}`);
  for (const name of names) {
    await commands.run(["ip", "netns", "add", name]);
    scope.defer(async () => void (await commands.run(["ip", "netns", "delete", name])));
  }
  const [r = "", c = "", s = ""] = names;
  const lines = [
    `link add c netns ${r} type veth peer name eth0 netns ${c}`,
    `link add s netns ${r} type veth peer name eth0 netns ${s}`,
  ];
  await commands.run(["ip", "-batch", "-"], { stdin: `${lines.join("\n")}\n` });
  const pathOf = (name: string) => join("/run/netns", name);
  const inside = (name: string) => inNamespace(commands, pathOf(name));
  for (const [name, address, link] of [
    [c, addresses.client, "c"],
    [s, addresses.server, "s"],
  ] as const) {
    await inside(name).run(["ip", "-batch", "-"], {
      stdin: `link set lo up\nlink set eth0 up\naddress add ${address}/32 dev eth0\nroute add 169.254.1.1 dev eth0\nroute add default via 169.254.1.1\n`,
    });
    await inside(r).run(["ip", "-batch", "-"], {
      stdin: `link set ${link} up\naddress add 169.254.1.1/32 dev ${link}\nroute add ${address}/32 dev ${link}\n`,
    });
  }
  await inside(r).run(["sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward"]);
  return {
    router: inside(r),
    routerNamespace: pathOf(r),
    client: inside(c),
    server: inside(s),
  };
}

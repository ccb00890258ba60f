// The commands and ports of docs/install.md exist as they are printed.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { globalOptions } from "../../src/base/command-line/global-options.ts";
import { nameOptions } from "../../src/base/program/options.ts";
import { usualPeerPort } from "../../src/edge/balancer/balancer.ts";
import { services, unitName } from "../../src/install/machine/machine.ts";
import { commandAt } from "../../tools/dist/shared-files.ts";
import { printedCommands } from "../fixtures/printed-commands.ts";

const page = readFileSync("docs/install.md", "utf8");

test("[INST-1] every command that docs/install.md prints exists, with its flags", async () => {
  const lines = (await printedCommands("docs/install.md")).split("\n");
  const printed = lines.filter((line) => line.startsWith("tandem "));
  assert.ok(printed.length > 8);
  for (const line of printed) {
    const words = line.split(" ").slice(1);
    const { options } = await commandAt(words);
    const known = nameOptions({ ...options, ...globalOptions }).map(({ flag }) => `--${flag}`);
    const flags = words.filter((word) => word.startsWith("--"));
    for (const flag of flags) assert.ok(known.includes(flag.split("=")[0] ?? ""), line);
  }
});

test("[INST-1] docs/install.md names every unit, and the ports that programs have by default", async () => {
  for (const service of services) {
    assert.ok(page.includes(`\`${unitName(service).replace(".service", "")}\``), service.name);
  }
  const { options = {} } = await commandAt(["agent"]);
  const { options: vip = {} } = await commandAt(["vip", "run"]);
  const ports = [options["port"]?.default, vip["balancerPort"]?.default, usualPeerPort];
  for (const port of ports) assert.match(page, new RegExp(`^\\| ${String(port)}/`, "m"));
});

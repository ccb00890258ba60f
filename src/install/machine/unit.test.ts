import assert from "node:assert/strict";
import { test } from "node:test";
import { services, unitName } from "./services.ts";
import { formatUnit } from "./unit.ts";

const places = { program: "/usr/bin/tandem", configuration: "/etc/tandem" };

for (const service of services) {
  test(`[INST-1] ${unitName(service)} runs its command with its configuration and is confined unless it runs pods`, () => {
    const unit = formatUnit(service, places);
    const { foreign } = service;
    const words =
      foreign === undefined
        ? `/usr/bin/tandem ${service.command.join(" ")} --config`
        : `${foreign.program} ${foreign.option}`;
    assert.ok(unit.includes(`\nExecStart=${words} /etc/tandem/${service.name}.yaml\n`));
    const isAgent = service.name === "agent";
    assert.equal(unit.includes("\nKillMode=process\n"), isAgent);
    assert.equal(unit.includes("\nProtectSystem=strict\n"), !isAgent);
    assert.equal(unit.includes("\nCapabilityBoundingSet="), !isAgent);
  });
}

test("a unit has each setting once, and its sections in order", () => {
  for (const service of services) {
    const lines = formatUnit(service, places)
      .split("\n")
      .filter((line) => line !== "");
    const names = lines.map((line) => line.split("=", 1)[0]);
    assert.deepEqual(names, [...new Set(names)]);
    assert.deepEqual(
      lines.filter((line) => line.startsWith("[")),
      ["[Unit]", "[Service]", "[Install]"],
    );
  }
});

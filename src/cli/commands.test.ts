import assert from "node:assert/strict";
import { test } from "node:test";
import type { Command, CommandEntry } from "../base/command-line/command.ts";
import { globalOptions } from "../base/command-line/global-options.ts";
import { nameOptions } from "../base/program/options.ts";
import { tandem } from "./commands.ts";

for (const { name, entry } of placed(tandem.commands)) {
  test(`tandem ${name} is declared well`, async () => {
    assert.match(entry.summary, /^[A-Z].*[^.]$/);
    if (!("load" in entry)) return;
    const { command } = await entry.load();
    assert.match(command.description, /\.$|\n {2}.*$/);
    assert.ok(command.examples.length > 0, "it has no example");
    for (const example of command.examples)
      assert.match(example.command, new RegExp(`tandem ${name}`));
    checkOptions(command);
  });
}

test("no two commands have one name", () => {
  assertUnique(placed(tandem.commands).map(({ name }) => name));
});

function checkOptions(command: Command): void {
  const named = nameOptions({ ...globalOptions, ...command.options });
  const own = Object.keys(command.options ?? {});
  for (const property of own) assert.ok(!(property in globalOptions), `${property} is everybody's`);
  assertUnique(named.map(({ flag }) => flag));
  assertUnique(named.flatMap(({ option }) => option.short ?? []));
  assertUnique(named.flatMap(({ env }) => env ?? []));
  assertUnique(named.flatMap(({ key }) => key ?? []));
  for (const { flag, option } of named) {
    assert.match(option.help, /^[A-Z].*\.$/, `--${flag} is not explained by sentences`);
    if (option.default !== undefined) option.type.parse([String(option.default)]);
    assert.ok(!option.required || option.default === undefined, `--${flag} needs no default`);
  }
}

function placed(
  entries: readonly CommandEntry[],
  above = "",
): { name: string; entry: CommandEntry }[] {
  return entries.flatMap((entry) => {
    const name = `${above}${entry.name}`;
    const inner = "commands" in entry ? placed(entry.commands, `${name} `) : [];
    return [{ name, entry }, ...inner];
  });
}

function assertUnique(names: readonly string[]): void {
  assert.deepEqual(names, [...new Set(names)]);
}

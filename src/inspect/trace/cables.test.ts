import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeCommands } from "../../base/host/command.fake.ts";
import { type CabledPlace, placesAround } from "./cables.ts";

/** Commands whose lsns fails a number of times, as it does when a process ends while it is read. */
class HastyCommands extends FakeCommands {
  #refusals: number;

  constructor(refusals: number) {
    super();
    this.#refusals = refusals;
  }

  override run(...[command, options]: Parameters<FakeCommands["run"]>) {
    const isRefused = command[0] === "lsns" && this.#refusals-- > 0;
    this.answer("lsns", isRefused ? { exitCode: 1 } : { stdout: found });
    return super.run(command, options);
  }
}

const found = JSON.stringify({ namespaces: [{ ns: 72, netnsid: "5" }] });

function lab(refusals: number): Record<"near" | "far" | "alike", CabledPlace> {
  const commands = new HastyCommands(refusals);
  const place = (name: string, inode: number, [own, other]: readonly [number, number]) => ({
    name,
    commands,
    inode,
    addresses: [],
    devices: [{ index: own, far: { namespace: 5, index: other } }],
  });
  return {
    near: place("near", 71, [2, 3]),
    far: place("far", 72, [3, 2]),
    // A place whose device has the same numbers by chance.
    alike: place("alike", 73, [3, 2]),
  };
}

test("a cable leads to the namespace with its number, also when lsns has to be asked again", async () => {
  for (const refusals of [0, 3]) {
    const { near, far, alike } = lab(refusals);
    assert.deepEqual(await placesAround(near, [near, far, alike]), [near, far]);
  }
});

test("without any numbers the devices are compared", async () => {
  const { near, far, alike } = lab(Number.POSITIVE_INFINITY);
  assert.deepEqual(await placesAround(near, [near, far, alike]), [near, far, alike]);
});

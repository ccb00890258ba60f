// Containers of the machine's own file system: they run, outlive the agent, and leave nothing.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { finished, openNode } from "./containers.fixture.ts";

const node = await openNode();
after(() => node[Symbol.asyncDispose]());
const { containers } = node;

test("a container runs, says something, and exits with its code", async () => {
  const spec = node.spec({
    command: ["sh", "-c", "echo $GREETING; echo oh >&2; exit 3"],
    environment: { GREETING: "hello" },
  });
  const started = await containers.start(spec);
  assert.equal(started.id, spec.id);
  const { exitCode, status, labels } = await containers.exited(spec.id);
  assert.deepEqual([exitCode, status, labels], [3, "exited", spec.labels]);
  assert.equal((await node.logOf(spec.id)).split("\n").toSorted().join(" "), " hello oh");
  await containers.remove(spec.id);
  assert.deepEqual(await node.traces(), []);
});

test("exec keeps input, both outputs and the code", async () => {
  const { id } = await containers.start(node.spec({ command: ["sleep", "600"] }));
  const session = await containers.exec(id, {
    command: ["sh", "-c", "cat; echo bad >&2; exit 7"],
    stdin: true,
  });
  session.stdin?.end("typed");
  assert.deepEqual(await finished(session), { code: 7, stdout: "typed", stderr: "bad\n" });
  await containers.remove(id);
  assert.deepEqual(await node.traces(), []);
});

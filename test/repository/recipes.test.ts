// Follows recipes of docs/recipes.md, word for word, in a copy of the tree: a recipe that leaves a step out fails.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";

let copy = "";

before(async () => {
  copy = await mkdtemp(join(tmpdir(), "tandem-recipes-"));
  for (const part of ["src", "tools", "package.json"]) {
    await cp(part, join(copy, part), { recursive: true });
  }
  await symlink(join(process.cwd(), "node_modules"), join(copy, "node_modules"));
});
after(() => rm(copy, { recursive: true, force: true }));

test("the recipe for a kind leads to a kind that is served, checked and typed", async () => {
  await change("src/api/schema/tables/coordination.ts", (text) =>
    text.replace(
      "\nLeaseSpec\n",
      "\nTurnstile kind # A gate that counts.\n  metadata 1 meta.ObjectMeta\n  spec     2 TurnstileSpec\n" +
        "\nTurnstileList kind\n  metadata 1 meta.ListMeta\n  items!   2 [Turnstile]\n" +
        "\nTurnstileSpec\n  turns 1 *int32\n\nLeaseSpec\n",
    ),
  );
  await change("src/api/schema/resources.ts", (text) =>
    text.replace(
      '{ kind: "Lease", plural: "leases" }',
      '{ kind: "Lease", plural: "leases" }, { kind: "Turnstile", plural: "turnstiles" }',
    ),
  );
  await node("tools/generate-types.ts");
  const types = await readFile(join(copy, "src/api/types/coordination.ts"), "utf8");
  assert.match(types, /export interface Turnstile /);
  const answers = await node(
    "--input-type=module",
    "--eval",
    `
      import { startServer } from "${copy}/src/control/apiserver/testing/start.ts";
      await using server = await startServer();
      const path = "/apis/coordination.k8s.io/v1/namespaces/default/turnstiles";
      const about = { apiVersion: "coordination.k8s.io/v1", kind: "Turnstile" };
      const create = (name, turns) => server.send("POST", path + "?fieldValidation=Strict", {
        body: { ...about, metadata: { name }, spec: { turns } },
      });
      const made = await create("gate", 3);
      const refused = await create("bad", "many");
      console.log(JSON.stringify([made.status, made.json.spec, refused.status]));
    `,
  );
  assert.deepEqual(JSON.parse(answers), [201, { turns: 3 }, 400]);
});

test("the recipe for a command leads to a command that runs and is in the help", async () => {
  await writeFile(
    join(copy, "src/cli/greet.ts"),
    `import { defineCommand } from "../base/command-line/command.ts";

export const command = defineCommand({
  description: "Greet.",
  examples: [{ does: "Greet", command: "tandem greet" }],
  async run({ stdout }) {
    stdout.write("Hello.\\n");
  },
});
`,
  );
  await change("src/cli/cluster-commands.ts", (text) =>
    text.replace(
      "clusterCommands: readonly CommandEntry[] = [\n",
      'clusterCommands: readonly CommandEntry[] = [\n  { name: "greet", summary: "Greet", load: () => import("./greet.ts") },\n',
    ),
  );
  assert.equal(await node("src/cli/main.ts", "greet"), "Hello.\n");
  assert.match(await node("src/cli/main.ts", "--help"), /^ +greet +Greet$/m);
});

async function change(file: string, edit: (text: string) => string): Promise<void> {
  const path = join(copy, file);
  const text = await readFile(path, "utf8");
  const changed = edit(text);
  assert.notEqual(changed, text, `${file} has no such place any more`);
  await writeFile(path, changed);
}

async function node(...words: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [...words], { cwd: copy });
  return stdout;
}

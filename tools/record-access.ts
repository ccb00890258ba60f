// Records what genuine kube-apiserver answers to the questions of test/fixtures/access-matrix.ts into
// test/security/access-matrix.json. Needs Go for the first build (bench/peers/build) and Debian's etcd.
//
//   node tools/record-access.ts

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { text as readText } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { startGenuine } from "../bench/apiserver/subjects.ts";
import { aggregatedRules } from "../src/api/kinds/rbac/aggregate.ts";
import type { ClusterRole } from "../src/api/types/rbac.ts";
import {
  objects,
  pack,
  questions,
  questionsHash,
  type Recording,
  subjects,
} from "../test/fixtures/access-matrix.ts";

const roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
const reviews = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
const file = new URL("../test/security/access-matrix.json", import.meta.url).pathname;

await using server = await startGenuine("Node,RBAC");
const agent = new Agent({ keepAlive: true, ...server.tls });

const call = async (method: string, path: string, body?: object) => {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const outgoing = request({
    host: "127.0.0.1",
    port: server.port,
    agent,
    method,
    path,
    headers: {
      authorization: `Bearer ${server.token ?? ""}`,
      "content-type": "application/json",
    },
  });
  outgoing.once("error", reject);
  outgoing.once("response", resolve);
  outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  const incoming = await promise;
  const json = JSON.parse(await readText(incoming)) as Record<string, unknown>;
  return { code: incoming.statusCode ?? 0, json };
};

await rolesAreThere();
for (const { path, body } of objects) {
  const { code, json } = await call("POST", path, body);
  assert.ok(code === 201, `${path}: ${JSON.stringify(json)}`);
}
await aggregate();
// The node authorizer follows pods by a watch.
await until(async () => await ask("node a", pick("get core secrets shop used")));
await until(async () => await ask("viewer", pick("get example.test widgets shop thing")));

const all = questions();
const answers: Record<string, string> = {};
for (const name of Object.keys(subjects)) {
  const allowed: boolean[] = [];
  for (const { spec } of all) allowed.push(await ask(name, spec));
  answers[name] = pack(allowed);
  console.log(`${name}: ${allowed.filter((each) => each).length} of ${all.length}`);
}
const { json } = await call("GET", "/version");
const recording: Recording = {
  kubernetes: String(json["gitVersion"]),
  questions: questionsHash(),
  answers,
};
writeFileSync(file, `${JSON.stringify(recording, undefined, 2)}\n`);
agent.destroy();
console.log(`${all.length * Object.keys(subjects).length} cells in ${file}`);

async function ask(name: string, spec: object): Promise<boolean> {
  const { user, groups } = subjects[name] ?? { user: "", groups: [] };
  const review = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview" };
  const answer = await call("POST", reviews, { ...review, spec: { user, groups, ...spec } });
  assert.equal(answer.code, 201, JSON.stringify(answer.json));
  return (answer.json["status"] as { allowed: boolean }).allowed;
}

function pick(text: string): object {
  const found = questions().find((question) => question.text === text);
  assert.ok(found, text);
  return found.spec;
}

/** The work of a controller that is not part of this server. */
async function aggregate(): Promise<void> {
  // A role that gathers may itself be gathered.
  for (let round = 0; round < 3; round++) {
    const { json: list } = await call("GET", roles);
    const items = list["items"] as ClusterRole[];
    for (const role of items) {
      const rules = aggregatedRules(role, items);
      if (rules === undefined) continue;
      const { code } = await call("PUT", `${roles}/${role.metadata.name}`, { ...role, rules });
      assert.equal(code, 200);
    }
  }
}

/** The roles are written after the server says that it is ready. */
async function rolesAreThere(): Promise<void> {
  await until(async () => (await call("GET", `${roles}/system:node`)).code === 200);
  await until(async () => (await call("GET", `${roles}/system:aggregate-to-view`)).code === 200);
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error("Cannot record: the server is not as expected");
    await sleep(100);
  }
}

// Who may do what, compared with a recording of genuine kube-apiserver with the same roles and objects.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import {
  objects,
  type Question,
  questions,
  questionsHash,
  type Recording,
  subjects,
  unpack,
} from "../fixtures/access-matrix.ts";
import { until } from "../fixtures/controllers.ts";
import { type GuardedServer, startGuarded } from "../fixtures/guarded-server.ts";

/** Where ours answers otherwise on purpose: who, what, and why. */
const departures: readonly { who: RegExp; what: RegExp; ours: boolean; why: string }[] = [
  {
    who: /^node [ab]$/,
    what: /^(get|list|watch) core (nodes|pods|namespaces|endpoints) /,
    ours: true,
    why: "the agent routes to all nodes, and runs DNS and virtual addresses under its own identity",
  },
  {
    who: /^node [ab]$/,
    what: /^(get|list|watch) (discovery\.k8s\.io endpointslices|networking\.k8s\.io servicecidrs) /,
    ours: true,
    why: "the agent is the proxy of its node too",
  },
  {
    who: /^node [ab]$/,
    what: /^(get|list|watch) networking\.k8s\.io networkpolicies /,
    ours: true,
    why: "the agent keeps the policies of its pods in the kernel",
  },
  {
    who: /^node [ab]$/,
    what: /^patch core pods /,
    ours: true,
    why: "the network status of a pod is an annotation; admission lets a node change nothing else",
  },
];

describe("[SEC-2, SEC-3] the authorisation matrix", () => {
  const all = questions();
  let guarded: GuardedServer;
  let recording: Recording;

  before(async () => {
    const file = new URL("access-matrix.json", import.meta.url);
    recording = JSON.parse(await readFile(file, "utf8")) as Recording;
    guarded = await startGuarded();
    for (const { path, body } of objects) {
      const { status, text } = await guarded.admin("POST", path, body);
      const isThere = status === 409 && path.endsWith("/serviceaccounts");
      assert.ok(status === 201 || isThere, `${path}: ${text}`);
    }
    const widgets = all.find(({ text }) => text === "get example.test widgets shop thing");
    assert.ok(widgets);
    // What a role gathers it gives to the next: admin is the last to have it.
    for (const who of ["viewer", "editor", "admin"]) {
      await until(
        () => isAllowed(who, widgets),
        (allowed) => allowed,
      );
    }
  });
  after(() => guarded[Symbol.asyncDispose]());

  async function isAllowed(who: string, { spec }: Question): Promise<boolean> {
    const { user, groups } = subjects[who] ?? { user: "", groups: [] };
    const review = guarded.reviewers["subjectaccessreviews"];
    assert.ok(review);
    const asker = { name: "admin", groups: ["system:masters"] };
    const answered = await review({ spec: { user, groups, ...spec } }, asker, "");
    return (answered as { status: { allowed: boolean } }).status.allowed;
  }

  test("[SEC-2] the recording is of these questions, and of at least 5,000 cells", () => {
    assert.equal(recording.questions, questionsHash(), "run tools/record-access.ts again");
    assert.deepEqual(Object.keys(recording.answers), Object.keys(subjects));
    assert.ok(all.length * Object.keys(subjects).length >= 5_000);
  });

  for (const who of Object.keys(subjects)) {
    test(`[SEC-2, SEC-3] ${who}: every verb on every kind as in Kubernetes`, async () => {
      const genuine = unpack(recording.answers[who] ?? "", all.length);
      const different: string[] = [];
      for (const [index, question] of all.entries()) {
        const ours = await isAllowed(who, question);
        if (ours === genuine[index]) continue;
        const isMeant = departures.some(
          (one) => one.who.test(who) && one.what.test(question.text) && one.ours === ours,
        );
        if (!isMeant) different.push(`${question.text}: ${ours ? "allowed" : "refused"} here`);
      }
      assert.deepEqual(different, []);
    });
  }

  test("[SEC-2] a review over the network answers as the authorizer does", async () => {
    const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    const some = all.filter((_, index) => index % 41 === 0);
    for (const question of some) {
      const { user, groups } = subjects["editor"] ?? { user: "", groups: [] };
      const { json } = await guarded.admin("POST", path, {
        spec: { user, groups, ...question.spec },
      });
      const { allowed } = json["status"] as { allowed: boolean };
      assert.equal(allowed, await isAllowed("editor", question), question.text);
    }
  });

  test("[SEC-3] every departure is still one", async () => {
    for (const { who, what, ours, why } of departures) {
      const isUsed = Object.keys(subjects)
        .filter((name) => who.test(name))
        .some((name) => {
          const genuine = unpack(recording.answers[name] ?? "", all.length);
          return all.some(({ text }, index) => what.test(text) && genuine[index] !== ours);
        });
      assert.ok(isUsed, why);
    }
  });
});

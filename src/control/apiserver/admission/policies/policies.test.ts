import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { clientCertificates } from "../../security/client-certificate.ts";
import { startServer, type TestServer } from "../../testing/start.ts";
import { policyAdmission } from "./policies.ts";

const registration = "/apis/admissionregistration.k8s.io/v1";
const configMaps = "/api/v1/namespaces/default/configmaps";
const rule = {
  operations: ["CREATE", "UPDATE"],
  apiGroups: [""],
  apiVersions: ["v1"],
  resources: ["configmaps"],
};

describe("[API-8] admission policies", () => {
  let server: TestServer;
  before(async () => {
    server = await startServer({
      access: (objects) => ({
        authenticator: clientCertificates(),
        authorizer: {
          authorize: (_, { verb }) => Promise.resolve({ allowed: verb !== "escalate" }),
        },
        dynamic: [policyAdmission(objects)],
      }),
    });
  });
  after(() => server[Symbol.asyncDispose]());

  /** Creates a policy that applies to ConfigMaps with a label of its own name, and a binding to it. */
  const policy = async (name: string, spec: object, bound: object = {}) => {
    const isMutating = "mutations" in spec;
    const kind = isMutating ? "mutatingadmissionpolicies" : "validatingadmissionpolicies";
    const matchConstraints = {
      resourceRules: [rule],
      objectSelector: { matchLabels: { policy: name } },
    };
    const defaults = isMutating ? { reinvocationPolicy: "Never" } : {};
    const made = await server.send("POST", `${registration}/${kind}`, {
      body: { metadata: { name }, spec: { matchConstraints, ...defaults, ...spec } },
    });
    assert.equal(made.status, 201, made.text);
    const actions = isMutating ? {} : { validationActions: ["Deny"] };
    const binding = await server.send(
      "POST",
      `${registration}/${kind.replace("ies", "y")}bindings`,
      {
        body: { metadata: { name }, spec: { policyName: name, ...actions, ...bound } },
      },
    );
    assert.equal(binding.status, 201, binding.text);
  };
  const create = (policyName: string, name: string, data: Record<string, string> = {}) =>
    server.send("POST", configMaps, {
      body: { metadata: { name, labels: { policy: policyName } }, data },
    });

  test("a validation refuses with its message, variables and the request at hand", async () => {
    await policy("sized", {
      variables: [{ name: "keys", expression: "size(object.data)" }],
      validations: [
        {
          expression: "variables.keys > 1",
          messageExpression: "request.operation + ' with ' + string(variables.keys)",
        },
      ],
    });
    const refused = await create("sized", "small", { a: "1" });
    assert.equal(refused.status, 422);
    assert.equal(
      refused.json["message"],
      "configmaps \"small\" is forbidden: ValidatingAdmissionPolicy 'sized' with binding 'sized' denied request: CREATE with 1",
    );
    assert.equal((await create("sized", "large", { a: "1", b: "2" })).status, 201);
    assert.equal((await create("none", "unlabelled")).status, 201);
  });

  test("what cannot be evaluated is refused or let through as the failure policy says", async () => {
    const validations = [{ expression: "object.data.missing == 'x'" }];
    await policy("failing", { validations });
    await policy("ignoring", { validations, failurePolicy: "Ignore" });
    const refused = await create("failing", "failing");
    assert.equal(refused.status, 422);
    assert.match(String(refused.json["message"]), /resulted in error: no such key: missing/);
    assert.equal((await create("ignoring", "ignoring")).status, 201);
  });

  test("a binding may warn instead of refusing", async () => {
    const validations = [{ expression: "false", message: "think again" }];
    await policy("warning", { validations }, { validationActions: ["Warn"] });
    const { status, headers } = await create("warning", "warned");
    assert.equal(status, 201);
    assert.match(String(headers["warning"]), /binding 'warning': think again/);
  });

  test("parameters are found by name, and missing ones are refused", async () => {
    const limits = { metadata: { name: "limits" }, data: { most: "2" } };
    await server.send("POST", configMaps, { body: limits });
    const spec = {
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      validations: [{ expression: "size(object.data) <= int(params.data.most)" }],
    };
    const paramRef = { name: "limits", parameterNotFoundAction: "Deny" };
    await policy("limited", spec, { paramRef });
    assert.equal((await create("limited", "few", { a: "" })).status, 201);
    assert.equal((await create("limited", "many", { a: "", b: "", c: "" })).status, 422);
    await policy("lost", spec, { paramRef: { ...paramRef, name: "nowhere" } });
    const lost = await create("lost", "lost", { a: "" });
    assert.match(String(lost.json["message"]), /failed to configure binding: no params found/);
  });

  test("match conditions and the authorizer decide", async () => {
    const check = (verb: string) =>
      `authorizer.group('').resource('pods').namespace('default').check('${verb}').allowed()`;
    await policy("asking", {
      matchConditions: [{ name: "named", expression: "object.metadata.name.startsWith('asked')" }],
      validations: [
        { expression: `${check("get")} && !${check("escalate")}` },
        { expression: check("escalate") },
      ],
    });
    assert.equal((await create("asking", "other")).status, 201);
    const refused = await create("asking", "asked");
    assert.match(String(refused.json["message"]), /failed expression: authorizer.*'escalate'/);
  });

  test("mutations are merged and patched, in order, before validation", async () => {
    await policy("mutating", {
      mutations: [
        {
          patchType: "ApplyConfiguration",
          applyConfiguration: {
            expression:
              "Object{metadata: Object.metadata{labels: {'made': 'merged'}}, data: {'a': 'merged'}}",
          },
        },
        {
          patchType: "JSONPatch",
          jsonPatch: {
            expression:
              "[JSONPatch{op: 'test', path: '/data/a', value: 'merged'}, JSONPatch{op: 'add', path: '/data/b', value: object.data.a + ' and patched'}]",
          },
        },
      ],
    });
    const { status, json } = await create("mutating", "mutated", { a: "given", c: "kept" });
    assert.equal(status, 201);
    assert.partialDeepStrictEqual(json, {
      metadata: { labels: { policy: "mutating", made: "merged" } },
      data: { a: "merged", b: "merged and patched", c: "kept" },
    });
  });

  test("policies are checked against the types of what they match", async () => {
    const name = "confused";
    const deployments = { ...rule, apiGroups: ["apps"], resources: ["deployments"] };
    await policy(name, {
      matchConstraints: { resourceRules: [deployments] },
      validations: [{ expression: "object.spec.replicas > '1'" }],
    });
    const path = `${registration}/validatingadmissionpolicies/${name}`;
    let status: {
      typeChecking?: { expressionWarnings?: { fieldRef: string; warning: string }[] };
    } = {};
    for (let tries = 0; tries < 300 && status.typeChecking === undefined; tries++) {
      const answer = await server.send("GET", path);
      status = answer.json["status"] ?? {};
    }
    const [warning] = status.typeChecking?.expressionWarnings ?? [];
    assert.equal(warning?.fieldRef, "spec.validations[0].expression");
    assert.match(warning.warning, /no matching overload for '_>_' applied to '\(int, string\)'/);
  });

  test("[SEC-4] an expression that costs too much is cut off", async () => {
    const loop = "lists.range(1000)";
    const expression = `${loop}.all(a, ${loop}.all(b, ${loop}.all(c, a + b + c >= 0)))`;
    await policy("endless", { validations: [{ expression }] });
    const refused = await create("endless", "endless");
    assert.match(String(refused.json["message"]), /actual cost limit exceeded/);
  });
});

import assert from "node:assert/strict";
import { Socket } from "node:net";
import { test } from "node:test";
import type { Credentials } from "../access.ts";
import { bearerTokens, UnauthorizedError } from "./bearer-token.ts";
import { bootstrapTokens, createBootstrapToken } from "./bootstrap-token.ts";
import { generateServiceAccountKey, serviceAccountTokens } from "./service-account-token.ts";
import { staticTokens } from "./static-tokens.ts";
import { fixedObjects } from "./testing/fixed-objects.ts";

const now = () => new Date("2026-01-01T00:00:00Z");
const bearer = (token: string): Credentials => ({
  headers: { authorization: `Bearer ${token}` },
  socket: new Socket(),
});

test("[API-3] static tokens give a user with groups; unknown ones are refused", async () => {
  const authenticator = bearerTokens([staticTokens('secret,ann,7,"dev,ops"\n# note\nx,bob,\n')], {
    now: () => 0,
  });
  assert.deepEqual(await authenticator.authenticate(bearer("secret")), {
    name: "ann",
    uid: "7",
    groups: ["dev", "ops"],
  });
  assert.deepEqual(await authenticator.authenticate(bearer("x")), { name: "bob", groups: [] });
  await assert.rejects(
    async () => await authenticator.authenticate(bearer("no")),
    UnauthorizedError,
  );
  assert.equal(authenticator.authenticate({ headers: {}, socket: new Socket() }), undefined);
  assert.throws(() => staticTokens("only-a-token"), /line 1 is not/);
});

test("[API-6] bootstrap tokens are stored hashed, expire, and prove a bootstrapper", async () => {
  const { token, secret } = createBootstrapToken({ expires: new Date("2026-01-02T00:00:00Z") });
  assert.match(token, /^[a-z0-9]{6}\.[a-z0-9]{16}$/);
  assert.ok(!JSON.stringify(secret).includes(token.slice(7)));
  assert.ok(
    !JSON.stringify(secret).includes(Buffer.from(token.slice(7)).toString("base64").slice(0, 16)),
  );
  const objects = fixedObjects({ secrets: [secret] });
  assert.deepEqual(bootstrapTokens(objects, now).verify(token), {
    name: `system:bootstrap:${token.slice(0, 6)}`,
    groups: ["system:bootstrappers"],
  });
  const wrong = `${token.slice(0, -1)}${token.endsWith("a") ? "b" : "a"}`;
  assert.equal(bootstrapTokens(objects, now).verify(wrong), undefined);
  const later = () => new Date("2026-01-02T00:00:00Z");
  assert.equal(bootstrapTokens(objects, later).verify(token), undefined);
  assert.equal(bootstrapTokens(fixedObjects({}), now).verify(token), undefined);
});

test("[API-3] a service-account token lives as long as its account and its pod", async () => {
  const account = { metadata: { name: "web", namespace: "shop", uid: "a1" } };
  const pod = { metadata: { name: "web-0", namespace: "shop", uid: "p1" } };
  const key = generateServiceAccountKey();
  const options = { key, issuer: "https://kubernetes.default.svc", now };
  const tokens = await serviceAccountTokens({
    ...options,
    objects: fixedObjects({ serviceaccounts: [account], pods: [pod] }),
  });
  const { token, expires } = await tokens.issue(
    { namespace: "shop", name: "web", uid: "a1", pod: { name: "web-0", uid: "p1" } },
    { audiences: [], lifetimeSeconds: 3600 },
  );
  assert.equal(expires.toISOString(), "2026-01-01T01:00:00.000Z");
  const user = await tokens.verify(token);
  const { "authentication.kubernetes.io/credential-id": id, ...extra } = user?.extra ?? {};
  assert.match(id?.[0] ?? "", /^JTI=[0-9a-f-]{36}$/);
  assert.deepEqual(
    { ...user, extra },
    {
      name: "system:serviceaccount:shop:web",
      uid: "a1",
      groups: ["system:serviceaccounts", "system:serviceaccounts:shop"],
      extra: {
        "authentication.kubernetes.io/pod-name": ["web-0"],
        "authentication.kubernetes.io/pod-uid": ["p1"],
      },
    },
  );
  assert.equal(await tokens.verifyFor(token, ["elsewhere"]), undefined);
  const forged = token.endsWith("AAAA") ? "BBBB" : "AAAA";
  assert.equal(await tokens.verify(token.slice(0, -4) + forged), undefined);
  assert.equal(await tokens.verify("abcdef.0123456789abcdef"), undefined);

  const recreated = { metadata: { ...account.metadata, uid: "a2" } };
  const cases = [
    { objects: fixedObjects({ serviceaccounts: [account] }), now },
    { objects: fixedObjects({ serviceaccounts: [recreated], pods: [pod] }), now },
    {
      objects: fixedObjects({ serviceaccounts: [account], pods: [pod] }),
      now: () => new Date("2026-01-01T01:00:01Z"),
    },
  ];
  for (const other of cases) {
    const verifier = await serviceAccountTokens({ ...options, ...other });
    assert.equal(await verifier.verify(token), undefined);
  }
  const stranger = await serviceAccountTokens({
    ...options,
    key: generateServiceAccountKey(),
    objects: fixedObjects({ serviceaccounts: [account], pods: [pod] }),
  });
  assert.equal(await stranger.verify(token), undefined);
});

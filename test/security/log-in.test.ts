// Users of an outside issuer, tokens a webhook knows, and those who forge either.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  createLocalJWKSet,
  exportJWK,
  generateKeyPair,
  type JSONWebKeySet,
  jwtVerify,
  SignJWT,
} from "jose";
import { readAuthentication } from "../../src/control/apiserver/security/log-in/configuration.ts";
import { tokenWebhook } from "../../src/control/apiserver/security/log-in/token-webhook.ts";
import { type GuardedServer, startGuarded } from "../fixtures/guarded-server.ts";
import { Outside } from "../fixtures/outside.ts";

const whoAmI = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const audience = "tandem-test";

describe("[SEC-2] log-in", () => {
  let outside: Outside;
  let laterMs = 0;
  let guarded: GuardedServer;
  let pair: Awaited<ReturnType<typeof generateKeyPair>>;

  before(async () => {
    outside = await Outside.start();
    pair = await generateKeyPair("RS256", { extractable: true });
    outside.keys = [{ ...(await exportJWK(pair.publicKey)), kid: "one", use: "sig" }];
    const logIn = readAuthentication(configuration(), "auth.yaml");
    const target = async () => ({ url: `${outside.url}/review`, tls: { ca: outside.authority } });
    const webhook = tokenWebhook({ target, audiences: ["https://issuer.test"], now: () => 0 });
    const now = () => new Date(Date.now() + laterMs);
    guarded = await startGuarded({ guard: { logIn, verifiers: [webhook], now } });
  });
  after(async () => {
    await guarded[Symbol.asyncDispose]();
    outside[Symbol.dispose]();
  });

  const configuration = () =>
    JSON.stringify({
      apiVersion: "apiserver.config.k8s.io/v1",
      kind: "AuthenticationConfiguration",
      jwt: [
        {
          issuer: {
            url: outside.url,
            audiences: [audience],
            certificateAuthority: outside.authority,
          },
          claimValidationRules: [{ claim: "tenant", requiredValue: "ours" }],
          claimMappings: {
            username: { claim: "email", prefix: "oidc:" },
            groups: { claim: "groups", prefix: "oidc:" },
            uid: { claim: "sub" },
          },
        },
      ],
    });

  const claims = {
    email: "ann@example.test",
    email_verified: true,
    groups: ["dev"],
    tenant: "ours",
  };
  const sign = async (changes: object = {}, options: { kid?: string; key?: CryptoKey } = {}) =>
    await new SignJWT({ ...claims, iss: outside.url, aud: audience, ...changes })
      .setProtectedHeader({ alg: "RS256", kid: options.kid ?? "one" })
      .setSubject("subject-1")
      .setJti("token-1")
      .setIssuedAt()
      .setExpirationTime("5m")
      .sign(options.key ?? pair.privateKey);
  const userOf = async (token: string) => {
    const { status, json, text } = await guarded.bearer(token)("POST", whoAmI, {});
    if (status === 401) return undefined;
    assert.equal(status, 201, text);
    return (json["status"] as { userInfo: { username: string; groups: string[] } }).userInfo;
  };

  test("[SEC-2] an ID token makes its user, with prefixes, groups, uid and the token's id", async () => {
    assert.deepEqual(await userOf(await sign()), {
      username: "oidc:ann@example.test",
      uid: "subject-1",
      groups: ["oidc:dev", "system:authenticated"],
      extra: { "authentication.kubernetes.io/credential-id": ["JTI=token-1"] },
    });
  });

  const wrong: [what: string, changes: object][] = [
    ["for another audience", { aud: "elsewhere" }],
    ["of another issuer", { iss: "https://evil.test" }],
    ["that has expired", { exp: 1 }],
    ["of another tenant", { tenant: "theirs" }],
    ["without the claim that names the user", { email: undefined }],
    ["of an address that nobody verified", { email_verified: false }],
    ["with groups that are no texts", { groups: [{ name: "system:masters" }] }],
  ];
  for (const [what, changes] of wrong) {
    test(`[SEC-2] a token ${what} is refused`, async () => {
      const { exp, ...rest } = changes as { exp?: number };
      const token = exp === undefined ? await sign(rest) : await expired();
      assert.equal(await userOf(token), undefined);
    });
  }

  const expired = () =>
    new SignJWT({ ...claims, iss: outside.url, aud: audience })
      .setProtectedHeader({ alg: "RS256", kid: "one" })
      .setExpirationTime(1)
      .sign(pair.privateKey);

  test("[SEC-2] tokens that are signed by nobody, by another, or with the public key are refused", async () => {
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
    const body = { ...claims, iss: outside.url, aud: audience, exp: 4_000_000_000 };
    assert.equal(await userOf(`${encode({ alg: "none" })}.${encode(body)}.`), undefined);
    const stranger = await generateKeyPair("RS256");
    assert.equal(await userOf(await sign({}, { key: stranger.privateKey })), undefined);
    const secret = new TextEncoder().encode(JSON.stringify(outside.keys[0]));
    const confused = await new SignJWT(body)
      .setProtectedHeader({ alg: "HS256", kid: "one" })
      .sign(secret);
    assert.equal(await userOf(confused), undefined);
  });

  test("[SEC-2] an issuer's new key is looked for, and its old one no longer believed", async () => {
    const old = await sign({ email: "old@example.test" });
    const next = await generateKeyPair("RS256", { extractable: true });
    outside.keys = [{ ...(await exportJWK(next.publicKey)), kid: "two", use: "sig" }];
    const token = await sign({}, { kid: "two", key: next.privateKey });
    laterMs = 11_000;
    assert.equal((await userOf(token))?.username, "oidc:ann@example.test");
    assert.equal(await userOf(old), undefined);
    pair = next;
    laterMs = 0;
  });

  test("[SEC-2] a webhook's word counts, and is not asked for in a flood", async () => {
    const known = await userOf("known");
    assert.equal(known?.username, "hooked");
    assert.deepEqual(known?.groups, ["hook", "system:authenticated"]);
    const asked = outside.reviews;
    for (let round = 0; round < 20; round++) assert.equal(await userOf("unknown"), undefined);
    assert.equal(outside.reviews, asked + 1);
  });

  test("[SEC-2] who has no credentials gets what everybody may, and is asked for them otherwise", async () => {
    const stranger = guarded.bearer();
    assert.equal((await stranger("GET", "/api/v1/namespaces")).status, 401);
    assert.equal((await stranger("GET", "/openid/v1/jwks")).status, 401);
    const group = "rbac.authorization.k8s.io";
    const name = "system:service-account-issuer-discovery";
    const bound = await guarded.admin("POST", `/apis/${group}/v1/clusterrolebindings`, {
      metadata: { name: "public-keys" },
      roleRef: { apiGroup: group, kind: "ClusterRole", name },
      subjects: [{ apiGroup: group, kind: "Group", name: "system:unauthenticated" }],
    });
    assert.equal(bound.status, 201, bound.text);
    assert.equal((await stranger("GET", "/openid/v1/jwks")).status, 200);
    assert.equal((await stranger("GET", "/api/v1/namespaces")).status, 401);
  });

  test("[SEC-2] others verify service account tokens by what the server publishes", async () => {
    const path = "/api/v1/namespaces/default/serviceaccounts/default/token";
    const made = await guarded.admin("POST", path, { spec: { audiences: ["vault"] } });
    assert.equal(made.status, 201, made.text);
    const { token } = made.json["status"] as { token: string };
    const { json } = await guarded.admin("GET", "/.well-known/openid-configuration");
    assert.equal(json["issuer"], "https://issuer.test");
    assert.equal(json["jwks_uri"], "https://issuer.test/openid/v1/jwks");
    const keys = await guarded.admin("GET", "/openid/v1/jwks");
    assert.equal(keys.headers["content-type"], "application/jwk-set+json");
    const local = createLocalJWKSet(JSON.parse(keys.text) as JSONWebKeySet);
    const { payload } = await jwtVerify(token, local, { audience: "vault" });
    assert.match(payload.jti ?? "", /^[0-9a-f-]{36}$/);
    const own = await guarded.admin("POST", path, { spec: {} });
    const { token: mine } = own.json["status"] as { token: string };
    const user = (await userOf(mine)) as { extra?: Record<string, string[]> } | undefined;
    const [id = ""] = user?.extra?.["authentication.kubernetes.io/credential-id"] ?? [];
    assert.match(id, /^JTI=[0-9a-f-]{36}$/);
    const asAccount = guarded.bearer(mine);
    assert.equal((await asAccount("GET", "/.well-known/openid-configuration")).status, 200);
    assert.equal((await asAccount("POST", "/openid/v1/jwks", {})).status, 403);
  });

  test("[SEC-2] what needs CEL, or is not known, is refused with its place", () => {
    const base = JSON.parse(configuration()) as { jwt: Record<string, unknown>[] };
    const changed = (change: (jwt: Record<string, never>) => void) => {
      const copy = structuredClone(base);
      change(copy.jwt[0] as Record<string, never>);
      return () => readAuthentication(JSON.stringify(copy), "auth.yaml");
    };
    type Jwt = Record<string, Record<string, unknown>>;
    const set = (path: string, key: string, value: unknown) =>
      changed((jwt) => {
        (jwt as unknown as Jwt)[path] = { ...(jwt as unknown as Jwt)[path], [key]: value };
      });
    const cel = /CEL expressions are not evaluated here/;
    assert.throws(set("claimMappings", "username", { expression: "claims.sub" }), cel);
    assert.throws(set("claimMappings", "extra", [{ key: "a", valueExpression: "x" }]), cel);
    assert.throws(
      changed((jwt) => Object.assign(jwt, { userValidationRules: [{ expression: "true" }] })),
      /jwt\[0\]\.userValidationRules\[0\]\.expression: CEL/,
    );
    assert.throws(set("issuer", "url", "http://plain.test"), /must be an https URL/);
    assert.throws(set("issuer", "audiences", []), /audiences: Required value/);
    assert.throws(set("issuer", "audiences", ["a", "b"]), /must be MatchAny/);
    assert.throws(set("claimMappings", "username", { claim: "sub" }), /prefix: Required value/);
    assert.throws(set("issuer", "clientSecret", "x"), /clientSecret: there is no such field/);
  });
});

import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { redactObject, redactText, secretValues } from "./redact.ts";

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const keys = (["pkcs8", "sec1"] as const).map((type) => privateKey.export({ type, format: "pem" }));

test("[INST-1] private keys go from texts: as PEM, on one line of JSON, in base64, and when they are cut off", () => {
  for (const key of keys) {
    const body = key.split("\n")[1] ?? "";
    const ways = {
      pem: `before\n${key}after`,
      json: JSON.stringify({ key, after: 1 }),
      cut: `log: ${key.slice(0, 90)}`,
      base64: `client-certificate-data: x\n    client-key-data: ${Buffer.from(key).toString("base64")}\nafter`,
      bare: `key=${Buffer.from(key).toString("base64")} after`,
    };
    for (const [way, text] of Object.entries(ways)) {
      const clean = redactText(text);
      assert.ok(!clean.includes(body.slice(0, 20)), way);
      assert.ok(!clean.includes(Buffer.from(key).toString("base64").slice(60, 90)), way);
      assert.equal(clean.includes("after"), way !== "cut", way);
    }
  }
});

test("[INST-1] tokens, passwords and credentials in URLs go from texts, what is around them stays", () => {
  const wanted: Readonly<Record<string, string>> = {
    "join --token abcdef.0123456789abcdef --ca-hash sha256:00":
      "join --token abcdef.REDACTED --ca-hash sha256:00",
    "Authorization: Bearer abc.def-ghi/jkl=": "Authorization: Bearer REDACTED",
    "token: not-a-usual-one\nserver: x": "token: REDACTED\nserver: x",
    '{"password": "two words", "user": "me"}': '{"password": REDACTED, "user": "me"}',
    "postgres://me:hidden@db/x": "postgres://me:REDACTED@db/x",
    "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrOHMifQ.c2lnbmF0dXJl end": "REDACTED end",
    "node 10.244.0.1 sends 123456 bytes": "node 10.244.0.1 sends 123456 bytes",
  };
  for (const [text, clean] of Object.entries(wanted)) assert.equal(redactText(text), clean);
});

test("[INST-1] values of Secrets go from every text, in base64 and as they are", () => {
  const data = { pin: Buffer.from("swordfish").toString("base64"), short: "YQ==" };
  const known = secretValues([
    { apiVersion: "v1", kind: "Secret", metadata: { namespace: "n", name: "x" }, data },
  ]);
  assert.equal(
    redactText(`said ${data.pin} and swordfish, a`, known),
    "said REDACTED and REDACTED, a",
  );
});

test("[INST-1] objects keep their fields, but no values of Secrets, ConfigMaps and environments", () => {
  const metadata = {
    name: "x",
    managedFields: [{}],
    annotations: { "kubectl.kubernetes.io/last-applied-configuration": "all of it", other: "kept" },
  };
  const secret = redactObject("Secret", { metadata, data: { pin: "c3dvcmRmaXNo" } } as object);
  assert.deepEqual(secret, {
    metadata: { name: "x", annotations: { other: "kept" } },
    data: { pin: "REDACTED" },
  });
  const pod = { spec: { containers: [{ name: "a", env: [{ name: "PIN", value: "swordfish" }] }] } };
  assert.deepEqual(redactObject("Pod", pod as object), {
    spec: { containers: [{ name: "a", env: [{ name: "PIN", value: "REDACTED" }] }] },
    metadata: {},
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Credentials } from "../access.ts";
import { clientCertificates } from "./client-certificate.ts";

const until = Date.parse("2030-01-01T00:00:00Z");

/** Returns the credentials of a request of an HTTP/2 session; each has a proxy of the socket of its own. */
function requestOf(session: object, reads: string[] = []): Credentials {
  const socket = {
    encrypted: true,
    authorized: true,
    getPeerCertificate() {
      reads.push("certificate");
      return { subject: { CN: "joe", O: ["a", "b"] }, valid_to: "Jan  1 00:00:00 2030 GMT" };
    },
  };
  return { headers: {}, socket: socket as unknown as Credentials["socket"], stream: { session } };
}

test("[API-3] the certificate of a connection is read once for all its requests", () => {
  const authenticator = clientCertificates(() => until);
  const [session, reads] = [{}, [] as string[]];
  for (let count = 0; count < 3; count++) {
    const user = authenticator.authenticate(requestOf(session, reads));
    assert.deepEqual(user, { name: "joe", groups: ["a", "b"] });
  }
  assert.deepEqual(reads, ["certificate"]);
});

test("[SEC-3] a connection that outlives its certificate lets nobody in any more", () => {
  let now = until;
  const authenticator = clientCertificates(() => now);
  const session = {};
  assert.ok(authenticator.authenticate(requestOf(session)));
  now++;
  assert.throws(() => authenticator.authenticate(requestOf(session)), /has expired/);
});

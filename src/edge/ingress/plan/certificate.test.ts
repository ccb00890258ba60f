import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../../base/host/clock.system.ts";
import { createDefaultCertificate } from "../runtime/default-certificate.ts";
import { ingress, leadsTo, objects, service, strangeKey, tlsSecret } from "../testing/ingress.ts";
import { planSites } from "./plan.ts";

const { pem } = await createDefaultCertificate(systemClock);
const certificate = pem.slice(0, pem.indexOf("-----BEGIN PRIVATE KEY-----"));
const key = pem.slice(certificate.length);

function planned(secrets: Parameters<typeof tlsSecret>[], host = "a.example") {
  const spec = {
    tls: [{ hosts: ["*.example"], secretName: "tls" }],
    rules: [{ host, ...leadsTo("web", [["Prefix", "/"]]) }],
  };
  return planSites(
    [ingress("one", spec)],
    objects({ services: [service("web")], secrets: secrets.map((each) => tlsSecret(...each)) }),
  );
}

test("a certificate serves the hosts it is for, and its file holds nothing else", () => {
  const plan = planned([["tls", `${certificate}# a remark\nssl_engine x;`, key]]);
  const site = plan.sites.find(({ host }) => host === "a.example");
  assert.equal(site?.routes[0]?.isHttpsOnly, true);
  assert.equal(site?.certificate, plan.certificates[0]?.name);
  assert.equal(plan.certificates[0]?.pem, pem);
  assert.equal(
    planned([["tls", certificate, key]], "b.a.example").sites[1]?.certificate,
    undefined,
  );
});

const unfit: [what: string, secrets: Parameters<typeof tlsSecret>[], state: RegExp][] = [
  ["missing", [], /"tls": there is no such secret/],
  ["without a certificate", [["tls", "", key]], /tls\.crt has no certificate in PEM/],
  ["with the key of another", [["tls", certificate, strangeKey()]], /tls\.key is not the key of/],
  ["with no key", [["tls", certificate, "x"]], /tls\.key cannot be read/],
];
for (const [what, secrets, state] of unfit) {
  test(`a secret that is ${what} leaves the default certificate, and is told of`, () => {
    const plan = planned(secrets);
    const site = plan.sites.find(({ host }) => host === "a.example");
    assert.deepEqual([site?.routes[0]?.isHttpsOnly, site?.certificate], [true, undefined]);
    assert.match(plan.problems.get("default/one")?.[0]?.message ?? "", state);
  });
}

test("TLS of one Ingress redirects nobody who came for another's path of the host", () => {
  const host = "a.example";
  const plain = ingress("plain", { rules: [{ host, ...leadsTo("web", [["Prefix", "/plain"]]) }] });
  const secure = ingress("secure", {
    tls: [{ hosts: [host] }],
    rules: [{ host, ...leadsTo("web", [["Prefix", "/secure"]]) }],
  });
  const plan = planSites([plain, secure], objects({ services: [service("web")] }));
  const site = plan.sites.find((each) => each.host === host);
  assert.deepEqual(
    site?.routes.map(({ path, isHttpsOnly }) => [path.text, isHttpsOnly]),
    [
      ["/secure", true],
      ["/plain", false],
    ],
  );
});

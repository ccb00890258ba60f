import assert from "node:assert/strict";
import { test } from "node:test";
import { answerHeaders, ownHeader, refusalOf } from "./guard.ts";

const hosts = new Set(["localhost:8080", "127.0.0.1:8080", "[::1]:8080"]);
const statusOf = (headers: Record<string, string>, method = "GET", path = "/api/stream") =>
  refusalOf({ method, path, headers }, hosts)?.status;
const host = "localhost:8080";

test("requests are answered for the names of this server only, against DNS rebinding", () => {
  for (const name of hosts) assert.equal(statusOf({ host: name }), undefined);
  for (const name of ["evil.example:8080", "localhost", "localhost:9090", "127.0.0.1", ""]) {
    assert.equal(statusOf({ host: name }), 421);
  }
  assert.equal(refusalOf({ method: "GET", path: "/", headers: {} }, hosts)?.status, 421);
});

test("pages of other origins are refused, those of other ports of this machine, too", () => {
  assert.equal(statusOf({ host, origin: "http://localhost:8080" }), undefined);
  for (const origin of [
    "http://evil.example",
    "http://localhost:9090",
    "null",
    "https://localhost:8080",
  ]) {
    assert.equal(statusOf({ host, origin }), 403);
  }
  assert.equal(statusOf({ host, "sec-fetch-site": "same-origin" }), undefined);
  for (const site of ["cross-site", "same-site"]) {
    assert.equal(statusOf({ host, "sec-fetch-site": site }), 403);
  }
});

test("a link from elsewhere opens the page in a window of its own, not in a frame", () => {
  const link = { host, "sec-fetch-site": "cross-site" };
  assert.equal(statusOf({ ...link, "sec-fetch-dest": "document" }, "GET", "/"), undefined);
  assert.equal(statusOf({ ...link, "sec-fetch-dest": "iframe" }, "GET", "/"), 403);
  assert.equal(statusOf({ ...link, "sec-fetch-dest": "document" }, "GET", "/api/about"), 403);
});

test("requests with an effect need a header that forms of other pages cannot send", () => {
  assert.equal(statusOf({ host }, "POST"), 403);
  assert.equal(statusOf({ host, [ownHeader]: "1" }, "POST"), undefined);
  for (const method of ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"]) {
    assert.equal(statusOf({ host, [ownHeader]: "1" }, method), 405);
  }
});

test("the content security policy allows nothing inline, from elsewhere or in frames", () => {
  const policy = answerHeaders["content-security-policy"] ?? "";
  assert.match(policy, /^default-src 'none';/);
  assert.match(policy, /frame-ancestors 'none'/);
  assert.doesNotMatch(policy, /unsafe|\*|http|data:/);
});

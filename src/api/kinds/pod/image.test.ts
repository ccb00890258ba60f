import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultPullPolicy } from "./image.ts";

const digest = `@sha256:${"0".repeat(64)}`;
const always = [
  "nginx",
  "nginx:latest",
  "a.example/b/c",
  "host:5000/nginx",
  `nginx:latest${digest}`,
];
const once = ["nginx:1", `nginx${digest}`, "host:5000/nginx:v2", "Nginx", " nginx", "", "a//b"];

test("an image that moves is pulled always, one that cannot only when it is missing", () => {
  for (const image of always) assert.equal(defaultPullPolicy(image), "Always", image);
  for (const image of once) assert.equal(defaultPullPolicy(image), "IfNotPresent", image);
  assert.equal(defaultPullPolicy(undefined), "IfNotPresent");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { IpamError } from "../../errors.ts";
import { openAccess } from "./access.system.ts";

test("[IPAM-6] without a kubeconfig the error names the key that would help, whatever the environment has", async (t) => {
  const { KUBECONFIG } = process.env;
  t.after(() => {
    if (KUBECONFIG === undefined) delete process.env["KUBECONFIG"];
    else process.env["KUBECONFIG"] = KUBECONFIG;
  });
  for (const path of ["/none/of/these", `${import.meta.dirname}/access.test.ts`]) {
    process.env["KUBECONFIG"] = path;
    await assert.rejects(
      openAccess({ type: "kubernetes" }),
      (error) =>
        error instanceof IpamError &&
        error.code === 7 &&
        /^Cannot use ipam\.kubernetes\.kubeconfig: it is not set, and .* service account$/.test(
          error.message,
        ),
    );
  }
});

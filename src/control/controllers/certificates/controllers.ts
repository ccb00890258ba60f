// The controllers of certificate requests: those of nodes for themselves are approved, and all approved ones
// are signed.

import { rule } from "../../../api/kinds/rbac.ts";
import type { ControllerEntry } from "../context.ts";
import { approvingController } from "./approving-controller.ts";
import { cleaningController } from "./cleaning-controller.ts";
import type { CertificateSigner } from "./signer.ts";
import { signingController } from "./signing-controller.ts";

const group = "certificates.k8s.io";
const ofNodes = "kubernetes.io/kube-apiserver-client-kubelet";
const signers = `${ofNodes} kubernetes.io/kube-apiserver-client kubernetes.io/kubelet-serving`;

export function certificateControllers(signer: CertificateSigner): readonly ControllerEntry[] {
  return [
    {
      name: "certificate-approving",
      rights: [
        rule("update", group, "certificatesigningrequests/approval"),
        rule("approve", group, { resources: "signers", names: ofNodes }),
        rule("create", "authorization.k8s.io", "subjectaccessreviews"),
      ],
      create: (context) => approvingController(context, signer),
    },
    { name: "certificate-cleaning", create: cleaningController },
    {
      name: "certificate-signing",
      rights: [
        rule("update", group, "certificatesigningrequests/status"),
        rule("sign", group, { resources: "signers", names: signers }),
      ],
      create: (context) => signingController(context, signer),
    },
  ];
}

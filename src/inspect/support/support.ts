// What leaves a machine for support: texts and objects without secrets.

export { describeCertificates } from "./certificates.ts";
export { machineQuestions } from "./questions.ts";
export { redactObject, redactText, secretValues } from "./redact.ts";

// Prints which tests prove which rule of docs/spec.md, and fails when a test names a rule that does not exist.
import { globSync, readFileSync } from "node:fs";

interface Mention {
  readonly rule: string;
  readonly file: string;
  readonly title: string;
}

const rules = rulesOf(readFileSync("docs/spec.md", "utf8"));
const mentions = globSync(["src/**/*.test.ts", "src/**/contract.ts", "test/**/*.ts"])
  .toSorted()
  .flatMap((file) => mentionsIn(file, readFileSync(file, "utf8")));

let unproven = 0;
for (const rule of rules) {
  const proofs = mentions.filter((mention) => mention.rule === rule);
  if (proofs.length === 0) unproven += 1;
  const files = [...new Set(proofs.map((proof) => proof.file))];
  console.log(
    `${rule.padEnd(9)} ${proofs.length === 0 ? "-" : `${proofs.length} in ${files.join(", ")}`}`,
  );
}
console.log(`\n${rules.length} rules, ${unproven} that no test names`);

const unknown = mentions.filter((mention) => !rules.includes(mention.rule));
for (const mention of unknown) {
  console.error(`${mention.file}: "${mention.title}" names ${mention.rule}, which is no rule`);
}
process.exit(unknown.length > 0 ? 1 : 0);

function rulesOf(text: string): string[] {
  return [...text.matchAll(/^- \*\*([A-Z0-9]+-\d+)\*\*/gm)].map((match) => match[1] ?? "");
}

/** A title is a string that opens with its rules: `"[NET-1] …"`, `"[NET-1, NET-4] …"`. */
function mentionsIn(file: string, text: string): Mention[] {
  const found: Mention[] = [];
  for (const match of text.matchAll(
    /["'`]((?:\[[A-Z0-9]+-\d+(?:, ?[A-Z0-9]+-\d+)*\] ?)+[^"'`\n]*)/g,
  )) {
    const title = match[1] ?? "";
    for (const rule of title.matchAll(/[A-Z0-9]+-\d+(?=[,\]])/g)) {
      found.push({ rule: rule[0], file, title });
    }
  }
  return found;
}

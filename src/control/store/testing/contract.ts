// The contract suite, which every store has to pass.

import { describe } from "node:test";
import type { MakePlace } from "./contract/fixture.ts";
import { forgettingContract } from "./contract/forgetting.ts";
import { readingContract } from "./contract/reading.ts";
import { watchingContract } from "./contract/watching.ts";
import { writingContract } from "./contract/writing.ts";

export function storeContract(name: string, make: MakePlace): void {
  describe(`the store contract, ${name}`, () => {
    readingContract(make);
    writingContract(make);
    watchingContract(make);
    forgettingContract(make);
  });
}

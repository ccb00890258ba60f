// Writes src/api/types from the tables of src/api/schema.

import { writeFileSync } from "node:fs";
import { renderTypes } from "../src/api/schema/typescript.ts";

const folder = new URL("../src/api/types/", import.meta.url);
for (const [name, text] of renderTypes()) writeFileSync(new URL(name, folder), text);

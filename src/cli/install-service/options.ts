import { text } from "../../base/program/option-types.ts";

export const databaseOptions = {
  database: {
    type: text("URL"),
    default: "sqlite:/var/lib/tandem/install.sqlite",
    help: "Where clusters are kept: sqlite:PATH, or postgres://USER@HOST/DATABASE.",
  },
} as const;

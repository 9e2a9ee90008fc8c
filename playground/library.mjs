// Builds the library into the package: `pdedsl compile --to javascript` writes a copy. With --check compares it only.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const TARGET = "../pdedsl/codegen/pdedsl.mjs";
const license = readFileSync("node_modules/ml-matrix/LICENSE", "utf-8").trim();
const banner = `/*! Solves modules of \`pdedsl compile --to javascript\` on grids. Built from playground/library.

With the eigenvalue decomposition of ml-matrix:

${license}
*/`;

execFileSync("node_modules/.bin/tsc", ["--project", "library"], { stdio: "inherit" });
const options = { bundle: true, format: "esm", minify: true, legalComments: "none", logLevel: "warning", write: false };
const { outputFiles: [file] } = await build({ ...options, entryPoints: ["library/index.ts"], banner: { js: banner } });
if (!process.argv.includes("--check")) writeFileSync(TARGET, file.text);
else if (readFileSync(TARGET, "utf-8") !== file.text) throw new Error(`${TARGET} is not up to date: npm run library`);

// Builds the playground into dist/: scripts by esbuild, Python by Pyodide itself, everything beside the page.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { loadPyodide } from "pyodide";

const PYODIDE = "node_modules/pyodide";
const WHEELS = "build/wheels";
const OUT = "dist";
const bytes = (path) => new Uint8Array(readFileSync(path));

// ---- Python

function wheels() {
  rmSync(WHEELS, { recursive: true, force: true });
  const python = process.env.PYTHON ?? "python3";
  const chosen = ["--only-binary", ":all:", "--no-deps", "--constraint", "../.ci/constraints.txt", "--dest", WHEELS];
  execFileSync(python, ["-m", "pip", "download", "--quiet", ...chosen, "lark", "mpmath", "sympy"], { stdio: "inherit" });
}

async function packed() {
  const pyodide = await loadPyodide();
  for (const file of readdirSync(WHEELS)) {
    pyodide.unpackArchive(bytes(`${WHEELS}/${file}`), "zip", { extractDir: "/all" });
  }
  pyodide.mountNodeFS("/repository", "..");
  pyodide.runPython(readFileSync("pack.py", "utf-8"));
  pyodide.runPython("pack('/tmp/packages.zip')");
  writeFileSync(`${OUT}/packages.zip`, pyodide.FS.readFile("/tmp/packages.zip"));
  writeFileSync(`${OUT}/gallery.json`, pyodide.runPython("gallery()"));
}

// ---- scripts and pages

function runtime() {
  copyFileSync(`${PYODIDE}/pyodide.asm.mjs`, `${OUT}/pyodide.asm.mjs`);
  copyFileSync(`${PYODIDE}/python_stdlib.zip`, `${OUT}/python_stdlib.zip`);
  writeFileSync(`${OUT}/pyodide.asm.wasm.gz`, gzipSync(readFileSync(`${PYODIDE}/pyodide.asm.wasm`), { level: 9 }));
}

async function scripts() {
  const shared = { bundle: true, minify: true, format: "esm", outdir: OUT, legalComments: "linked", logLevel: "warning" };
  await build({ ...shared, entryPoints: ["src/main.js", "src/laboratory.js", "src/robust.js", "src/style.css"] });
  const absent = ["node:*", "ws", "url", "fs", "path", "fs/promises", "vm", "child_process", "crypto"];
  await build({ ...shared, entryPoints: ["src/worker.js"], external: [...absent, "./pyodide.asm.mjs"] });
  for (const file of ["index.html", "robust.html", "icon.svg"]) copyFileSync(`src/${file}`, `${OUT}/${file}`);
  copyFileSync("robust/network.json", `${OUT}/network.json`);
}

/** The service worker knows every file and one name for all of them, which changes when one does. */
function offline() {
  const files = readdirSync(OUT).sort();
  const digest = createHash("sha256");
  for (const file of files) digest.update(file).update(readFileSync(`${OUT}/${file}`));
  const text = readFileSync("src/offline.js", "utf-8");
  const known = { FILES: files.filter((file) => !file.endsWith(".txt")), VERSION: digest.digest("hex").slice(0, 16) };
  const head = Object.entries(known).map(([name, value]) => `const ${name} = ${JSON.stringify(value)};\n`);
  writeFileSync(`${OUT}/offline.js`, head.join("") + text);
}

rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT);
wheels();
runtime();
await scripts();
await packed();
offline();
const sizes = readdirSync(OUT).map((file) => [file, statSync(`${OUT}/${file}`).size]);
for (const [file, size] of sizes) console.log(`${String(size).padStart(10)}  ${file}`);
console.log(`${String(sizes.reduce((sum, [, size]) => sum + size, 0)).padStart(10)}  in all`);
process.exit(0); // Pyodide keeps Node awake

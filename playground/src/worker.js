// Python in a web worker: text in, result of the compiler out.
import { loadPyodide } from "pyodide";
import { info } from "../node_modules/pyodide/pyodide-lock.json";

const here = new URL("./", self.location.href).href;
const plainly = self.fetch.bind(self);

/** The interpreter is stored compressed, so that every server transfers it compressed. */
self.fetch = async (resource, options) => {
  const url = String(resource.url ?? resource);
  if (!url.endsWith(".wasm")) return plainly(resource, options);
  const response = await plainly(`${url}.gz`);
  const stream = response.body.pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream, { headers: { "Content-Type": "application/wasm" } });
};

async function engine() {
  const archive = plainly(`${here}packages.zip`).then((response) => response.arrayBuffer());
  const pyodide = await loadPyodide({
    indexURL: here,
    lockFileContents: { info, packages: {} },
    env: { SYMPY_CACHE_SIZE: "20000" }, // and rare searches for garbage, as in the language server
  });
  pyodide.unpackArchive(await archive, "zip", { extractDir: "/packages" });
  pyodide.runPython("import sys; sys.path.insert(0, '/packages')");
  pyodide.runPython("import gc; gc.set_threshold(*gc.get_threshold()[:2], 500)");
  pyodide.runPython("from pdedsl.symbolic.cache import cache_signs; cache_signs()");
  return pyodide.pyimport("pdedsl.editor.playground_json");
}

const ready = engine();
ready.catch((error) => self.postMessage({ fault: String(error) }));

self.onmessage = async ({ data: { id, verb, args } }) => {
  const python = await ready;
  try {
    self.postMessage({ id, answer: python[verb](...args) });
  } catch (error) {
    self.postMessage({ id, fault: String(error) });
  }
};

/** The lab of the page: its worker stands in the page too, and takes the module that the page has compiled. */
import { WorkerLab } from './lab.ts';
import LabWorker from './lab.worker.ts?worker&inline';
import { bundledModule } from './wasm.ts';

export function openLab(): WorkerLab {
  return new WorkerLab(() => new LabWorker(), bundledModule);
}

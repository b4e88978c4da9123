/** Puts the service of a run together: one machine, or several nodes with their faults. */
import type { Random } from '../../runtime/random.ts';
import { openCluster, type SimulatedCluster } from './cluster.ts';
import type { Foundation } from './foundation.ts';
import type { Judge } from './judge.ts';
import type { Chance } from './machine/chance.ts';
import { fakeBrowser } from './machine/fake-browser.ts';
import type { Receiver } from './machine/receiver.ts';
import { serviceNode } from './node.ts';
import type { NodeSeat } from './node-seat.ts';
import type { NodeDeps, ServiceNode } from './service-node.ts';

/** The parts of a run that every machine has in common. */
interface ServiceParts {
  readonly random: Random;
  readonly judge: Judge;
  readonly receiver: Receiver;
}

/** Opens the service; nothing runs before `start`. */
export function openService(
  base: Foundation,
  parts: ServiceParts,
): { readonly node: ServiceNode; readonly cluster: SimulatedCluster | undefined } {
  const { nodes, chance, time, note } = base;
  if (nodes === 1) {
    const fork = (name: string): Chance => chance.fork(name);
    return { node: serviceNode(machineOf(base, parts, fork)), cluster: undefined };
  }
  const cluster = openCluster({
    nodes,
    chance,
    time,
    note,
    witness: { didSingleTask: parts.judge.didSingleTask, sessions: parts.judge.sessions },
    machine: (seat, fork) => machineOf(base, parts, fork, seat),
  });
  parts.judge.watchNodes(cluster);
  return { node: cluster, cluster };
}

/** Puts a machine together; its crashes and slow statements follow the fault rates of the moment. */
function machineOf(
  base: Foundation,
  { random, judge, receiver }: ServiceParts,
  fork: (name: string) => Chance,
  seat?: NodeSeat,
): NodeDeps {
  const { time, disk, busy, currentFaults, note, complained } = base;
  const crashes = fork('crashes');
  const delays = fork('delays');
  return {
    time,
    random,
    disk,
    note,
    complained,
    seat,
    receiver: () => receiver,
    renderPage: fakeBrowser(time, fork('rendering'), currentFaults, busy.arePagesBroken),
    dies: (when) => currentFaults().crash > 0 && crashes.happens(currentFaults().crash / 2, `dies ${when} a commit`),
    committed: judge.committed,
    delay() {
      if (currentFaults().slowDisk === 0 || !delays.happens(currentFaults().slowDisk, 'statement waits for the disk'))
        return busy.holdUp('statement');
      return new Promise((resolve) => time.after(delays.whole(1, currentFaults().slowDiskMs), resolve));
    },
    holdUp: () => busy.holdUp('between statements'),
    atOnce: () => base.isGiven || (base.nodes === 1 && base.isCalm() && !busy.isBusy()),
    watchesDeadlines: base.faultRates.deadlines > 0,
    awayMs: () => crashes.whole(100, currentFaults().awayMs),
  };
}

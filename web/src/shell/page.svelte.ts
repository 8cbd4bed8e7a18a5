/**
 * What the page shows: the recordings that are open, which two stand side by side, what is selected, and the clock.
 *
 * **State**     all of the page's own; parts get it as properties and ask for changes by `select`, `jump` and `show`.
 * **Decision**  which panel opens: that of the most particular thing that was just selected.
 */
import type { Ps } from '../engine/api';
import { Clock, roundSpeed } from '../network/clock.svelte';
import { moment } from '../panels/breakdown';
import { asked, names, type Selection, type Side } from '../panels/sides';
import { show, slowest, tell } from '../panels/story';
import { write, type Moment, type Panel, type View } from './fragment';
import type { Contents, Failure, Opened } from './opening';

export class Page {
  title = $state('');
  all = $state.raw<Opened[]>([]);
  failures = $state.raw<Failure[]>([]);
  summary = $state.raw<unknown>(undefined);
  view = $state<View>('watch');
  panel = $state<Panel>('query');
  selection = $state.raw<Selection>({});
  left = $state(0);
  /** The same as `left` where only one is shown. */
  right = $state(1);
  clock = $state.raw<Clock | null>(null);

  readonly sides = $derived.by((): Side[] => {
    const shown = [this.all[this.left], this.left === this.right ? undefined : this.all[this.right]].filter((one) => one !== undefined);
    const called = names(shown.map((one) => ({ name: one.name, scheme: one.scheme, seed: one.seed, source: one.player.head.source })));
    return shown.map((one, i) => ({ name: called[i] ?? one.scheme, player: one.player }));
  });

  /** The query that is told about: the selected one, else the slowest of the first recording. */
  readonly query = $derived.by((): number | null => {
    if (this.selection.query !== undefined) return this.selection.query;
    const first = this.sides[0];
    return first ? (asked(() => slowest(first.player)).answer ?? null) : null;
  });

  /** Adds what was opened. The first ones are shown; later ones take the second place, to be compared with what is there. */
  add(contents: Contents): void {
    this.failures = [...this.failures, ...contents.failures];
    if (contents.summary !== undefined) this.summary = contents.summary;
    if (contents.recordings.length === 0) return;
    const before = this.all.length;
    this.all = [...this.all, ...contents.recordings];
    if (this.title === '') this.title = contents.title;
    if (before === 0) this.arrange(0, Math.min(1, this.all.length - 1));
    else this.arrange(this.left, before);
  }

  /** Puts other recordings in the place of all that are open, as a run of the lab does. */
  replace(contents: Contents): void {
    // It would go on asking players that are closed.
    this.clock?.destroy();
    this.clock = null;
    for (const one of this.all) one.player.close();
    this.all = [];
    this.title = '';
    this.summary = undefined;
    this.failures = [];
    this.selection = {};
    this.add(contents);
  }

  /** Which recordings stand side by side. The clock begins anew, at the instant where it stood if there was one. */
  arrange(left: number, right: number): void {
    const at = this.clock?.at;
    this.clock?.destroy();
    const within = (n: number) => Math.min(Math.max(n, 0), this.all.length - 1);
    this.left = within(left);
    this.right = within(right);
    this.clock = this.sides.length === 0 ? null : new Clock(this.sides.map((side) => side.player));
    const query = this.query;
    if (query !== null && this.selection.query === undefined) this.selection = { ...this.selection, query };
    if (at !== undefined) this.clock?.seek(at);
    else this.begin();
  }

  /** Where a page begins: shortly before the slowest query is asked. */
  private begin(): void {
    const asks = this.sides[0]?.player.tail.queries.find((one) => one.id === this.query);
    if (asks) this.clock?.seek(asks.start - 2e7);
  }

  /** Selects, and opens the panel of what is new. */
  select(selection: Selection): void {
    const before = this.selection;
    const next = { ...selection };
    if (next.packet !== undefined && (next.packet !== before.packet || next.side !== before.side) && next.flow === before.flow) {
      const flow = asked(() => this.sides[next.side ?? 0]?.player.journey(next.packet as number).flow).answer;
      if (flow !== undefined) next.flow = flow;
    }
    this.selection = next;
    if (next.packet !== undefined && (next.packet !== before.packet || next.side !== before.side)) this.panel = 'packet';
    else if ((next.port !== undefined && next.port !== before.port) || (next.node !== undefined && next.node !== before.node)) this.panel = 'switch';
    else if (next.flow !== undefined && next.flow !== before.flow) this.panel = 'flow';
    else if (next.query !== undefined && next.query !== before.query) this.panel = 'query';
  }

  /** What the drawing says was clicked: it replaces the last thing that was. */
  clicked(hit: Selection): void {
    const { packet: _packet, node: _node, port: _port, side: _side, ...kept } = this.selection;
    const link = hit.port === undefined ? undefined : this.sides[0]?.player.head.network.links[hit.port];
    this.select({ ...kept, ...hit, ...(link ? { node: link.from } : {}) });
  }

  /** Goes to an instant, with the page where the clock is seen. */
  jump(at: Ps, selection?: Selection): void {
    this.clock?.pause();
    this.clock?.seek(at);
    this.view = 'watch';
    if (selection) this.select(selection);
  }

  /** Plays slowly what made a query slow. */
  show(side: number): void {
    if (this.query === null) return;
    const telling = tell(this.sides, this.query).tellings[side];
    const showing = telling && show(this.sides, telling);
    if (!showing || !this.clock) return;
    this.view = 'watch';
    this.selection = { query: this.query, side, ...(showing.flow === null ? {} : { flow: showing.flow }), ...(showing.moment.packet === null ? {} : { packet: showing.moment.packet }) };
    this.panel = 'query';
    this.clock.setLoop(null);
    this.clock.seek(showing.from);
    this.clock.setSpeed(roundSpeed(showing.speed));
    this.clock.play();
  }

  /** Opens a query, at the moment that made it slow with the first recording. */
  showQuery(query: number): void {
    this.selection = { query };
    this.panel = 'query';
    const first = this.sides[0];
    const found = first && asked(() => moment(first.player, first.player.query(query))).answer;
    if (found) {
      this.jump(found.at);
      this.selection = { query, side: 0, ...(found.packet === null ? {} : { packet: found.packet }) };
    }
    this.view = 'watch';
    this.panel = 'query';
  }

  /** Opens a flow. */
  showFlow(flow: number): void {
    this.view = 'watch';
    const { packet: _, ...kept } = this.selection;
    this.selection = { ...kept, flow };
    this.panel = 'flow';
  }

  /** The moment of a link. What the recordings do not have is passed over, in words. */
  follow(moment: Moment): string[] {
    const problems: string[] = [];
    if (moment.view) this.view = moment.view;
    if (this.all.length === 0) return problems;
    const first = this.all.length - 1;
    if ((moment.left ?? 0) > first || (moment.right ?? 0) > first) problems.push(`The link shows recordings that are not open here: there are ${this.all.length}.`);
    else if (moment.left !== undefined || moment.right !== undefined) this.arrange(moment.left ?? this.left, moment.right ?? this.right);
    const { packet, flow, query, node, port, side } = moment;
    const chosen: Selection = { ...(packet === undefined ? {} : { packet }), ...(flow === undefined ? {} : { flow }), ...(query === undefined ? {} : { query }), ...(node === undefined ? {} : { node }), ...(port === undefined ? {} : { port }), ...(side === undefined ? {} : { side }) };
    if (Object.keys(chosen).length > 0) this.select(chosen);
    if (moment.panel) this.panel = moment.panel;
    if (moment.at !== undefined && this.clock) {
      if (moment.at < this.clock.from || moment.at > this.clock.to) problems.push('The link shows an instant that is not in this recording; the nearest one is shown.');
      this.clock.seek(moment.at);
    }
    return problems;
  }

  /** A link to what is seen now; while the clock runs, to where it last stood. */
  readonly link = $derived.by((): string => {
    if (this.all.length === 0) return write({ view: this.view });
    return write({
      view: this.view,
      panel: this.panel,
      ...(this.clock ? { at: this.clock.at } : {}),
      ...(this.all.length > 2 || this.left !== 0 || this.right !== Math.min(1, this.all.length - 1) ? { left: this.left, right: this.right } : {}),
      ...this.selection,
    });
  });

  close(): void {
    this.clock?.destroy();
    for (const one of this.all) one.player.close();
  }
}

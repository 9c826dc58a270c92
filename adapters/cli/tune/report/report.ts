import type { TriedSetting } from '../../../../analysis/tuning/trySetting.js';
import { usable } from '../../../../domain/day.js';
import { modelKeys } from '../../terminal/labels.js';
import { plural } from '../../../../application/texts/counted.js';
import type { Tuned } from '../facts.js';
import { reportPage } from '../../report/page.js';
import { drawnModel } from '../../report/ranges.js';
import { alertsSection } from './alertsSection.js';
import { leftOutSection, recentSection, referenceSection } from './calendarSections.js';
import { covariatesSection } from './covariatesSection.js';
import { countPlots } from './countPlots.js';
import { coveragePlots } from './coveragePlots.js';
import { footer, installSection, meaningsSection } from './closing.js';
import { header } from './header.js';
import { modelColors } from './modelColors.js';
import { modelsSection } from './modelsSection.js';
import { coverageNote, plotsSection, settingsSection, timelineSection } from './settingsSections.js';
import type { TuneReport } from './shown.js';

/** The smallest value of any day, reference or recent. */
const minimumOf = ({ recent }: Tuned, { checks }: TriedSetting): number =>
  recent.reduce((least, day) => {
    const flags = usable(day);
    return day.activity.reduce((low, value, slice) => (flags[slice] ? Math.min(low, value) : low), least);
  }, checks?.minimum ?? Number.NEGATIVE_INFINITY);

const shownOf = (tuned: Tuned, index: number): TuneReport => {
  const setting = tuned.tried[index] as TriedSetting;
  const minimum = minimumOf(tuned, setting);
  const models = setting.models.map(model => drawnModel(model, minimum));
  const named = [...(tuned.holidays?.holidays ?? []), ...tuned.specials];
  return {
    tuned,
    setting,
    index,
    models,
    named: new Map(named.map(({ date, name }) => [date, name])),
    keyOf: modelKeys(models),
    modelOf: id => models.find(model => model.id === id),
  };
};

const sectionsOf = (shown: TuneReport): string[] => {
  const { tuned } = shown;
  const chosenCount = plural(tuned.tried[0]?.models.length ?? 0, 'model');
  return [
    header(shown),
    modelsSection(shown),
    covariatesSection(shown),
    referenceSection(shown),
    leftOutSection(shown),
    recentSection(shown),
    settingsSection(shown),
    plotsSection(
      'How many typical days?',
      'All numbers of models, with the default limits of the engine.',
      countPlots(tuned),
    ),
    plotsSection(
      'Which coverage?',
      `Target coverages with ${chosenCount}, the chosen number.${coverageNote(shown)}`,
      coveragePlots(tuned),
    ),
    timelineSection(shown),
    alertsSection(shown),
    meaningsSection(shown),
    installSection(shown),
    footer(shown),
  ];
};

/**
 * The report as one HTML file that needs no network and no other file.
 * @param index the setting whose models and alerts are shown
 * @throws Error when the script of the reports is not built
 */
export const reportHtml = (tuned: Tuned, index = tuned.recommended): string => {
  const shown = shownOf(tuned, index);
  return reportPage({
    kind: 'tune',
    title: `${tuned.name}: typical days and settings`,
    style: modelColors(shown.models),
    main: sectionsOf(shown).join('\n'),
  });
};

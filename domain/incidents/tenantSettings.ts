import type { Decider } from '../decider.js';

/** Settings of a tenant. `incidentLabels`: keys of labels whose equal values join alerts of several sources. */
export type TenantSettings = { readonly incidentLabels: readonly string[] };

/** Settings of a tenant that has changed none. */
export const defaultSettings: TenantSettings = { incidentLabels: [] };

/** Largest number of labels that join sources. */
export const incidentLabelsMax = 5;

/** Events of `settings-{tenant}`: the whole settings after a change. */
export type SettingsEvent = { readonly type: 'TenantSettingsChanged'; readonly data: TenantSettings };

/** A merge patch of the settings: absent fields stay. */
type ChangeSettings = { readonly type: 'ChangeSettings'; readonly patch: Partial<TenantSettings> };

/** Rules of `settings-{tenant}`. */
export const tenantSettings: Decider<ChangeSettings, SettingsEvent, TenantSettings> = {
  initial: defaultSettings,
  decide: ({ patch }, settings) => {
    const incidentLabels = [...new Set(patch.incidentLabels ?? settings.incidentLabels)].sort();
    const isSame = incidentLabels.join('\n') === settings.incidentLabels.join('\n');
    return isSame ? [] : [{ type: 'TenantSettingsChanged', data: { incidentLabels } }];
  },
  evolve: (_, { data }) => data,
};

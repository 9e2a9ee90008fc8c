"""Helps that no program can apply, by the reason why; every other help has a fix. `test_fixes.py` holds them to it."""

from __future__ import annotations

NOT_IN_THE_TEXT = """
runs.another_set runs.cannot_be_downloaded runs.classes_differ runs.counted_from_one runs.damaged runs.huge_values
runs.label_out_of_range runs.no_file runs.no_shape runs.not_labels runs.not_measurements runs.not_numbers
runs.not_samples runs.other_arrays runs.shape_differs runs.too_few_samples runs.too_large runs.unreadable_array
networks.hidden_module networks.no_residual_blocks networks.not_found networks.not_trusted
source.no_such_file source.not_utf8
settings.constant_needs_value settings.empty_path settings.entry_needs_value settings.long_path settings.needs_value
settings.no_call settings.no_constant_but_entry settings.not_alone settings.several_calls settings.several_entries
settings.part_of_path settings.unknown_part settings.unnamed_behind
"""
"""What is to be changed is a file of data, a module, an environment or the command line."""

NOT_CHECKED = """
networks.operator_by networks.operator_of_features networks.operator_of_full_matrix networks.operator_of_network
networks.operator_on_domain networks.operator_on_images runs.for_images runs.no_data runs.no_train_block
runs.nothing_to_train runs.schedule_without_steps runs.solved_not_trained runs.trained_not_solved
"""
"""The spec is right, and another command or other data would do: found when it runs, not while a text is checked."""

A_VALUE = """
syntax.not_a_spec names.unit syntax.at_a_side syntax.ends_with syntax.sum_of
syntax.operator_arguments
equations.few_conditions_on equations.fixes_one_variable equations.gives_no_value equations.no_equation
equations.not_a_place evaluation.nothing_attacked evaluation.picture_without
evaluation.reference_in_any_dimension equations.no_coordinate
equations.not_physical equations.not_an_unknown equations.known_only_on_domains equations.unmeasured
networks.unknown_dimension
networks.not_a_path
feature_maps.no_field_on_pixels feature_maps.no_frame equations.few_for_waves types.not_a_value types.softmax_of_scores
syntax.acts_on_nothing syntax.ends_early syntax.index_of_sigma syntax.index_of_sum syntax.no_space syntax.no_unknown
syntax.not_a_variable syntax.unexpected types.dimension_not_a_number types.not_an_interval
types.periodic_interval types.start_not_positive options.empty_list options.list_of_values options.missing_argument
options.missing_entry options.needs_from options.needs_interval options.only_operators
"""
"""The help shows a form; what stands in it, a value or an equation, only the author knows."""

A_CHOICE = """
syntax.late_backslash syntax.stray_dot types.no_component
names.another_meaning names.declared_twice names.word_of_the_language networks.several_unknowns
syntax.derivative syntax.subscripted feature_maps.part_of_its_own
syntax.late_argument syntax.not_an_operator syntax.orders_differ syntax.second_header
types.not_a_space types.not_for_unknowns types.product_of_intervals types.start_of_scalar
options.not_a_word
"""
"""Several words would do, or either of two may be meant; completion proposes them."""

ANOTHER_EQUATION = """
equations.no_unknown equations.empty equations.moving equations.not_known equations.selects_nothing
equations.exact_has_unknowns
equations.violated names.differential names.material_derivative names.unknown_index names.unknown_variable
networks.divergence_free_on_the_line networks.exact_derivatives networks.factor_of_network networks.full_matrix
networks.linear_scores networks.no_equation networks.no_probabilities networks.no_term
networks.noise_of_constant_size networks.scores_twice syntax.any_value syntax.condition syntax.curl
syntax.operator_alone syntax.periodic syntax.remark syntax.two_equalities methods._none feature_maps.field_depends
feature_maps.no_layer feature_maps.no_separable_pair feature_maps.operator_depends feature_maps.order_in_time
feature_maps.pieces_in_time
feature_maps.two_layers equations.incompatible_data equations.indefinite equations.learned_sign equations.refuted
equations.unbalanced
equations.unstable_step equations.waves_at_rest methods.another_diffusion
methods.elsewhere methods.joined_sides methods.learned_velocity methods.sampling_along
types.cannot_be_called types.cannot_be_multiplied types.coordinates_not_written_out types.no_adjoint
types.no_divergence types.no_real_value types.not_constant types.out_of_range types.power_of_tensor_constant
types.product_of_kinds types.takes_numbers syntax.order_zero
"""
"""The mathematics has to change: an equation, its data or its domain, as the author means it."""

SMALLER = """
syntax.number_out_of_range syntax.many_mixed_derivatives
networks.boxes_apart networks.one_depth syntax.two_numbers feature_maps.large_patches feature_maps.narrow_opening
feature_maps.odd_width feature_maps.too_many_stages networks.too_many_numbers networks.too_many_weights
syntax.beyond_limits
syntax.deep_expression syntax.large_exponent syntax.large_expression syntax.large_number syntax.large_power
syntax.many_calls syntax.many_extrema syntax.many_inequalities syntax.many_terms syntax.many_unknowns
syntax.nested_brackets syntax.nested_too_deeply syntax.too_large types.many_dimensions
"""
"""A number, a size or an expression has to be another, and which one depends on the rest of the experiment."""

ELSEWHERE = """
networks.data_elsewhere networks.no_maps networks.read_elsewhere networks.torchvision_maps networks.two_pieces
networks.random_maps methods.needs_velocity methods.noise_of_full_matrix methods.relative_noise
methods.network_of_unknown methods.relative_on_a_line
options.number_of_values options.second_block
"""
"""The mistake is one of two statements that do not fit each other, and what it says of the other is advice."""

BY_HAND = {
    name
    for group in (NOT_IN_THE_TEXT, NOT_CHECKED, A_VALUE, A_CHOICE, ANOTHER_EQUATION, SMALLER, ELSEWHERE)
    for name in group.split()
}

"""Helps that no program can apply, by the reason why; every other help has a fix. `test_fixes.py` holds them to it."""

from __future__ import annotations

NOT_IN_THE_TEXT = """
data.another_set data.cannot_be_downloaded data.classes_differ data.counted_from_one data.damaged data.huge_values
data.label_out_of_range data.no_file data.no_shape data.not_labels data.not_measurements data.not_numbers
data.not_samples data.other_arrays data.shape_differs data.too_few_samples data.too_large data.unreadable_array
own_networks.hidden_module own_networks.no_maps own_networks.not_found own_networks.not_trusted
reading.no_such_file reading.not_utf8
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
characters.not_a_spec names.unit notation.at_a_side notation.ends_with notation.sum_of
syntax.operator_arguments
equations.few_conditions_on equations.fixes_one_variable equations.gives_no_value equations.no_equation
equations.not_a_place evaluations.nothing_attacked evaluations.picture_without
evaluations.reference_in_any_dimension geometry.no_coordinate
geometry.not_physical known.not_an_unknown known.not_physical known.unmeasured networks.unknown_dimension
own_networks.not_a_path
pixels.no_field_on_pixels pixels.no_frame proofs.few_for_waves shapes.not_a_value shapes.softmax_of_scores
syntax.acts_on_nothing syntax.ends_early syntax.index_of_sigma syntax.index_of_sum syntax.no_space syntax.no_unknown
syntax.not_a_variable syntax.unexpected types.dimension_not_a_number types.not_an_interval
types.periodic_interval types.start_not_positive words.empty_list words.list_of_values words.missing_argument
words.missing_entry words.needs_from words.needs_interval words.only_operators
"""
"""The help shows a form; what stands in it, a value or an equation, only the author knows."""

A_CHOICE = """
characters.late_backslash characters.stray_dot shapes.no_component
names.another_meaning names.declared_twice names.word_of_the_language networks.several_unknowns
notation.derivative notation.subscripted pixels.part_of_its_own
syntax.late_argument syntax.not_an_operator syntax.orders_differ syntax.second_header
types.not_a_space types.not_for_unknowns types.product_of_intervals types.start_of_scalar
words.not_a_word
"""
"""Several words would do, or either of two may be meant; completion proposes them."""

ANOTHER_EQUATION = """
equations.no_unknown geometry.empty geometry.moving geometry.not_known geometry.selects_nothing known.not_known
known.violated names.differential names.material_derivative names.unknown_index names.unknown_variable
networks.divergence_free_on_the_line networks.exact_derivatives networks.factor_of_network networks.full_matrix
networks.linear_scores networks.no_equation networks.no_probabilities networks.no_term
networks.noise_of_constant_size networks.scores_twice notation.any_value notation.condition notation.curl
notation.operator_alone notation.periodic notation.remark notation.two_equalities paths._none pixels.field_depends
pixels.no_layer pixels.no_separable_pair pixels.operator_depends pixels.order_in_time pixels.pieces_in_time
pixels.two_layers proofs.contradiction proofs.indefinite proofs.learned_sign proofs.refuted proofs.unbalanced
proofs.unstable_step proofs.waves_at_rest realizations.another_diffusion
realizations.elsewhere realizations.joined_sides realizations.learned_velocity realizations.sampling_along
shapes.cannot_be_called shapes.cannot_be_multiplied shapes.coordinates_not_written_out shapes.no_adjoint
shapes.no_divergence shapes.no_real_value shapes.not_constant shapes.out_of_range shapes.power_of_tensor_constant
shapes.product_of_kinds shapes.takes_numbers syntax.order_zero
"""
"""The mathematics has to change: an equation, its data or its domain, as the author means it."""

SMALLER = """
characters.number_out_of_range syntax.many_mixed_derivatives
networks.boxes_apart networks.one_depth notation.two_numbers pixels.large_patches pixels.narrow_opening
pixels.odd_width pixels.too_many_stages sizes.too_many_numbers sizes.too_many_weights syntax.beyond_limits
syntax.deep_expression syntax.large_exponent syntax.large_expression syntax.large_number syntax.large_power
syntax.many_calls syntax.many_extrema syntax.many_inequalities syntax.many_terms syntax.many_unknowns
syntax.nested_brackets syntax.nested_too_deeply syntax.too_large types.many_dimensions
"""
"""A number, a size or an expression has to be another, and which one depends on the rest of the experiment."""

ELSEWHERE = """
networks.data_elsewhere networks.no_maps networks.read_elsewhere networks.torchvision_maps networks.two_pieces
own_networks.random_maps realizations.needs_velocity realizations.noise_of_full_matrix realizations.relative_noise
realizations.network_of_unknown realizations.relative_on_a_line
words.number_of_values words.second_block
"""
"""The mistake is one of two statements that do not fit each other, and what it says of the other is advice."""

BY_HAND = {
    name
    for group in (NOT_IN_THE_TEXT, NOT_CHECKED, A_VALUE, A_CHOICE, ANOTHER_EQUATION, SMALLER, ELSEWHERE)
    for name in group.split()
}
